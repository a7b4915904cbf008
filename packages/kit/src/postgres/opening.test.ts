import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import type { TestDatabase } from '../../../../tests/postgres/test-database.ts'
import { createTestDatabase } from '../../../../tests/postgres/test-database.ts'
import { SqlFailure } from '../sql/sql-failure.ts'
import { thingMigrations, type ThingTables } from '../sql/testing/things.ts'
import { connect, type ConnectionSettings } from './connect.ts'
import { migrate } from './migrate.ts'
import { createPostgresBuilder } from './postgres-builder.ts'
import { testDefaults } from './testing/open-things.ts'

const builder = createPostgresBuilder<ThingTables>()
const password = 'sesame-open-17'
let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const open = async (settings: ConnectionSettings, migrations = thingMigrations) => {
  const connections = await connect(settings, testDefaults)
  onTestFinished(() => connections.pool.end())
  await migrate(connections, builder, migrations)
  return connections
}
const failureOf = async (call: () => Promise<unknown>) => {
  const thrown = await call().catch((error: unknown) => error)
  if (!SqlFailure.is(thrown)) throw new Error('It did not fail as it has to.', { cause: thrown })
  return thrown
}
const urlWith = (changes: Partial<URL>) =>
  Object.assign(new URL(database.connectionString), { password, ...changes }).href
const versionsOf = async (schema: string) =>
  (await database.query(`select version from ${schema}.migrations order by version`)).map(
    ({ version }) => version,
  )

it.each([
  ['the server is down', { port: '1' }, true, /cannot be reached/],
  ['the password is wrong', {}, false, /rejected the user or the password/],
  [
    'the database does not exist',
    { password: 'test-password', pathname: '/nowhere' },
    false,
    /the database does not exist/,
  ],
])('says so when %s, without the password', async (_, changes, retryable, message) => {
  const failure = await failureOf(() => open({ connectionString: urlWith(changes) }))
  expect([failure.kind, failure.retryable, failure.message]).toEqual([
    'unavailable',
    retryable,
    expect.stringMatching(message),
  ])
  expect(inspect(failure, { depth: 9 })).not.toContain(password)
})

it('says so when the server takes connections and says nothing', async () => {
  const silent = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void silent.close())
  await once(silent, 'listening')
  const connectionString = urlWith({ host: `127.0.0.1:${(silent.address() as AddressInfo).port}` })
  const failure = await failureOf(() => open({ connectionString, connectTimeoutMs: 100 }))
  expect([failure.kind, failure.retryable, failure.message]).toEqual([
    'unavailable',
    true,
    expect.stringMatching(/cannot be reached/),
  ])
})

it.each<[string, () => ConnectionSettings]>([
  ['"schema" must start with', () => ({ schema: 'a"; drop' })],
  ['"schema" must start with', () => ({ schema: '1abc' })],
  ['"maxConnections" must be an integer of at least 2, got 1', () => ({ maxConnections: 1 })],
  ['"connectTimeoutMs" must be', () => ({ connectTimeoutMs: Number.NaN })],
  ['"statementTimeoutMs" must be', () => ({ statementTimeoutMs: 0 })],
  [
    'has the parameter "options"',
    () => ({ connectionString: `${database.connectionString}?options=-c%20x%3Dy` }),
  ],
  [
    'must be a URL without parameters',
    () => ({ connectionString: `${database.connectionString}?sslmode=disable`, password: () => password }),
  ],
])('refuses settings that cannot work: %s', async (message, settings) => {
  const failure = await failureOf(() => open(settings()))
  expect([failure.kind, failure.message]).toEqual(['invalid', expect.stringContaining(message)])
  expect(failure.message).toMatch(/^Opening Postgres failed: /)
  expect(inspect(failure)).not.toContain(database.connectionString)
})

it('asks for the password each time it connects, when a function gives it', async () => {
  const url = new URL(database.connectionString)
  url.password = ''
  const givePassword = vi.fn(() => 'test-password')
  const { pool } = await open({ connectionString: url.href, password: givePassword, schema: 'asked' })
  ;(await pool.connect()).release()
  expect(givePassword).toHaveBeenCalledTimes(2)
})

it('makes the tables once, however many open the schema at the same time', async () => {
  const { connectionString } = database
  await Promise.all(Array.from({ length: 8 }, () => open({ connectionString, schema: 'fresh' })))
  expect(await versionsOf('fresh')).toEqual([1, 2])
})

it('does the steps that a schema has not had', async () => {
  const settings = { connectionString: database.connectionString, schema: 'grown' }
  await open(settings, thingMigrations.slice(0, 1))
  await database.query("insert into grown.things (id, note) values ('t1', 'kept')")
  await open(settings)
  expect(await versionsOf('grown')).toEqual([1, 2])
  expect(await database.query('select id, note from grown.things')).toEqual([{ id: 't1', note: 'kept' }])
})

it('refuses a schema that a newer or an older release wrote, and leaves it as it was', async () => {
  const settings = { connectionString: database.connectionString, schema: 'other' }
  await open(settings)
  const newer = await failureOf(() => open(settings, thingMigrations.slice(0, 1)))
  expect([newer.kind, newer.message]).toEqual([
    'newer',
    'Opening Postgres failed: the schema "other" has schema version 2, but this release supports at most 1. ' +
      'Use the release that wrote it, or a newer release.',
  ])
  const older = await failureOf(() => open(settings, [{ ...thingMigrations[0]!, version: 3 }]))
  expect([older.kind, older.message]).toEqual([
    'older',
    'Opening Postgres failed: the schema "other" was written by an older development version (schema 2, this release ' +
      'needs at least 3). Move or delete it to start with an empty database.',
  ])
  expect(await versionsOf('other')).toEqual([1, 2])
})

it('makes no table in another schema than its own, whatever a pooler drops', async () => {
  const schema = 'pooled'
  const createPool = async () => {
    const connections = await connect({ connectionString: database.connectionString, schema }, testDefaults)
    onTestFinished(() => connections.pool.end())
    // as PgBouncer does with ignore_startup_parameters = options
    connections.leaveOutParameters()
    return connections
  }
  const tables = async () =>
    (await database.query(`select schemaname as name from pg_tables where tablename = 'migrations'`)).map(
      ({ name }) => name,
    )
  const before = await tables()
  const failure = await failureOf(async () => migrate(await createPool(), builder, thingMigrations))
  expect([failure.kind, failure.message]).toEqual([
    'invalid',
    expect.stringMatching(
      /instead of "pooled".* alter role ".+" in database ".+" set search_path = pooled\./,
    ),
  ])
  expect(await tables()).toEqual(before)
  const [fix] = /alter role .+ = pooled/.exec(failure.message) ?? []
  await database.query(fix!)
  onTestFinished(() => database.query(fix!.replace(/set .*/, 'reset search_path')).then(() => {}))
  await migrate(await createPool(), builder, thingMigrations)
  expect(new Set(await tables())).toEqual(new Set([...before, schema]))
})

it('connects without parameters where a pooler refuses them', async () => {
  const refused = Buffer.from('SFATAL\0C08P01\0Munsupported startup parameter: options\0\0')
  const length = Buffer.alloc(4)
  length.writeInt32BE(4 + refused.length)
  const seen: boolean[] = []
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (data) => {
      seen.push(data.includes('search_path'))
      socket.end(Buffer.concat([Buffer.from('E'), length, refused]))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo // it listens on a port
  await failureOf(() => open({ connectionString: `postgres://u:p@127.0.0.1:${port}/d?sslmode=disable` }))
  expect(seen).toEqual([true, false])
})
