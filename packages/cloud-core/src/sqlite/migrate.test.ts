import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Migration } from '../sql/migrations.ts'
import { cloudMigrations } from '../sql/migrations.ts'
import { at, auditOf, keyOf } from '../testing/store-harness.ts'
import type { Connection } from './connection.ts'
import { openConnection } from './connection.ts'
import { createSqliteBuilder } from './dialect.ts'
import { createSqliteStore } from './index.ts'
import { migrate } from './migrate.ts'

const builder = createSqliteBuilder()
const next: Migration = {
  version: cloudMigrations.length + 1,
  name: 'a note for each device',
  build: (db) => [db.schema.alterTable('devices').addColumn('note', 'text')],
}
const broken: Migration = {
  ...next,
  build: (db) => [...next.build(db), db.schema.createIndex('wrong').on('nowhere').column('id')],
}

const open = () => openConnection({ path: ':memory:', busyTimeoutMs: 0 })
const select = (connection: Connection, sql: string) =>
  connection.runStep({ kind: 'read', sql, parameterLists: [[]] })
const insert = `insert into devices (id, owner, name, type, platform, metadata, created_at, key_hash, key_hint)
  values ('d1', 'ann', 'n', 't', 'p', '{}', 'c', 'h', 'i')`

it('numbers its steps without a gap', () => {
  expect(cloudMigrations.map(({ version }) => version)).toEqual(cloudMigrations.map((_, index) => index + 1))
})

it('brings a database from one version to the next and keeps what it holds', () => {
  const connection = open()
  migrate(connection, builder, cloudMigrations)
  connection.exec(insert)
  migrate(connection, builder, [...cloudMigrations, next])
  expect(select(connection, 'select id, note from devices')).toMatchObject([{ id: 'd1', note: null }])
  expect(select(connection, 'select max(version) as version from migrations')).toMatchObject([
    { version: next.version },
  ])
  connection.close()
})

it('C24: gives a database of the first release its audit, and keeps what it holds', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'homeward-migrate-'))
  const path = join(folder, 'cloud.db')
  const old = openConnection({ path, busyTimeoutMs: 0 })
  migrate(old, builder, cloudMigrations.slice(0, 1))
  old.exec(insert)
  old.close()
  const store = createSqliteStore({ path })
  expect((await store.findDevice('ann', 'd1'))?.name).toBe('n')
  await store.rotateKey(
    { owner: 'ann', deviceId: 'd1', key: keyOf('k2'), previousUntil: at(9), now: at(1) },
    [auditOf('e1')],
  )
  expect((await store.listAudit('ann', {}, { limit: 9 }, at(1))).rows.map(({ id }) => id)).toEqual(['e1'])
  await store.close()
  await rm(folder, { recursive: true })
})

it('does each step once', () => {
  const connection = open()
  for (let start = 0; start < 3; start += 1) migrate(connection, builder, [...cloudMigrations, next])
  expect(select(connection, 'select version from migrations')).toHaveLength(next.version)
  connection.close()
})

it('leaves everything as it was when a step fails', () => {
  const connection = open()
  migrate(connection, builder, cloudMigrations)
  expect(() => migrate(connection, builder, [...cloudMigrations, broken])).toThrow(
    /Preparing the database failed/,
  )
  expect(() => select(connection, 'select note from devices')).toThrow(/note/)
  migrate(connection, builder, [...cloudMigrations, next])
  expect(select(connection, 'select note from devices')).toEqual([])
  connection.close()
})

it('names what went wrong, also where SQLite has undone everything by itself', () => {
  const connection = open()
  const full = Object.assign(new Error('database or disk is full'), { errcode: 13 })
  const exec = (sql: string) => {
    connection.exec(sql === 'commit' ? 'rollback' : sql)
    if (sql === 'commit') throw full
  }
  expect(() => migrate({ ...connection, exec }, builder, cloudMigrations)).toThrow(/the disk is full/)
  migrate(connection, builder, cloudMigrations)
  connection.close()
})
