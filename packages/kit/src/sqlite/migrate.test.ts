import { expect, it, vi } from 'vitest'
import type { Migration } from '../sql/migration.ts'
import { thingMigrations, type ThingTables } from '../sql/testing/things.ts'
import type { Connection } from './connection.ts'
import { openConnection } from './node-connection.ts'
import { migrate } from './migrate.ts'
import { createSqliteBuilder } from './sqlite-builder.ts'

const builder = createSqliteBuilder<ThingTables>()
const next: Migration<ThingTables> = {
  version: 3,
  name: 'a color for each thing',
  build: (db) => [db.schema.alterTable('things').addColumn('color', 'text')],
}
const broken: Migration<ThingTables> = {
  ...next,
  build: (db, schema) => [...next.build(db, schema), 'create index wrong on nowhere (id)'],
}

const open = () => openConnection({ path: ':memory:', busyTimeoutMs: 0 })
const select = (connection: Connection, sql: string) =>
  connection.runStep({ kind: 'read', sql, parameterLists: [[]], counts: false })
const versions = (connection: Connection) => select(connection, 'select version from migrations')

it('brings a database from one version to the next and keeps what it holds', () => {
  const connection = open()
  migrate(connection, builder, thingMigrations)
  connection.exec("insert into things (id, note) values ('t1', 'n')")
  migrate(connection, builder, [...thingMigrations, next])
  expect(select(connection, 'select id, color from things')).toEqual([{ id: 't1', color: null }])
  expect(versions(connection)).toEqual([{ version: 1 }, { version: 2 }, { version: 3 }])
  connection.close()
})

it('does each step once', () => {
  const connection = open()
  for (let start = 0; start < 3; start += 1) migrate(connection, builder, [...thingMigrations, next])
  expect(versions(connection)).toHaveLength(3)
  connection.close()
})

it('leaves everything as it was when a step fails', () => {
  const connection = open()
  migrate(connection, builder, thingMigrations)
  expect(() => migrate(connection, builder, [...thingMigrations, broken])).toThrow(
    /Preparing the database failed/,
  )
  expect(() => select(connection, 'select color from things')).toThrow(/color/)
  migrate(connection, builder, [...thingMigrations, next])
  expect(select(connection, 'select color from things')).toEqual([])
  connection.close()
})

it('keeps the steps before one that fails', () => {
  const connection = open()
  migrate(connection, builder, thingMigrations)
  const later = { ...broken, version: 4, build: () => ['create index wrong on nowhere (id)'] }
  expect(() => migrate(connection, builder, [...thingMigrations, next, later])).toThrow()
  expect(versions(connection)).toEqual([{ version: 1 }, { version: 2 }, { version: 3 }])
  connection.close()
})

it('refuses a database that a newer or an older release wrote, and changes nothing', () => {
  const connection = open()
  migrate(connection, builder, [...thingMigrations, next])
  expect(() => migrate(connection, builder, thingMigrations)).toThrow(
    expect.objectContaining({
      kind: 'newer',
      message:
        'Opening the database failed: it has schema version 3, but this release supports at most 2. ' +
        'Use the release that wrote it, or a newer release.',
    }),
  )
  const [first] = thingMigrations
  expect(() => migrate(connection, builder, [{ ...first!, version: 4 }])).toThrow(
    expect.objectContaining({
      kind: 'older',
      message:
        'Opening the database failed: it was written by an older development version (schema 3, this release needs at least 4). ' +
        'Move or delete it to start with an empty database.',
    }),
  )
  expect(versions(connection)).toHaveLength(3)
  connection.close()
})

it('begins a second database in memory as a copy of the first one when it was empty', () => {
  const steps = thingMigrations.map((step) => ({ ...step, build: vi.fn(step.build) }))
  const [first, second] = [open(), open()]
  for (const connection of [first, second]) migrate(connection, builder, steps)
  expect(versions(second)).toEqual(versions(first))
  // engines without `serialize` take every step again
  for (const { build } of steps) expect(build).toHaveBeenCalledTimes(first.content ? 1 : 2)
  migrate(second, builder, [...steps, next])
  expect(versions(second)).toHaveLength(3)
  for (const connection of [first, second]) connection.close()
})

it('names what went wrong, also where SQLite has undone everything already', () => {
  const connection = open()
  const full = Object.assign(new Error('database or disk is full'), { errcode: 13 })
  const exec = (sql: string) => {
    connection.exec(sql === 'commit' ? 'rollback' : sql)
    if (sql === 'commit') throw full
  }
  const steps = [...thingMigrations]
  expect(() => migrate({ ...connection, exec }, builder, steps)).toThrow(/the disk is full/)
  migrate(connection, builder, thingMigrations)
  connection.close()
})
