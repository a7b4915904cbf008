// What a fleet asks of Postgres, and leaves there: docs/guides/scaling.md, "The device cloud".
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startServer } from '../../../../tests/postgres/on-demand.ts'
import type { TestDatabase } from '../../../../tests/postgres/test-database.ts'
import { createTestDatabase } from '../../../../tests/postgres/test-database.ts'
import { createMemoryBlobs } from '../blobs/memory/index.ts'
import { createDeviceCloud } from '../cloud/create-device-cloud.ts'
import { createSingleUserSessions } from '../sessions/single-user-sessions.ts'
import { at, deviceOf, groupOf, onceOf, searchOf, uploadOf, withDevices } from '../testing/store-harness.ts'
import type { PostgresStatement, PostgresStoreOptions } from './index.ts'
import { createPostgresStore } from './index.ts'
import { emptySchema } from './testing/empty-schema.ts'

const schema = 'growth'
const user = { userId: 'local' }
let server: ReturnType<typeof startServer>
let database: TestDatabase

// A server of its own: on the shared one, a transaction of another test file would keep dead rows here, too.
beforeAll(async () => {
  server = startServer()
  database = await createTestDatabase(server.line)
})
afterEach(() => emptySchema(database, schema))
afterAll(() => server.stop())

const openStore = async (options: PostgresStoreOptions = {}) => {
  const store = await createPostgresStore({ connectionString: database.connectionString, schema, ...options })
  onTestFinished(() => store.close())
  return store
}

/** A cloud with so many devices, and what it asks of Postgres. */
async function openCloud(count: number) {
  const statements: PostgresStatement[] = []
  const store = await openStore({ onStatement: (statement) => statements.push(statement) })
  const cloud = createDeviceCloud({ store, blobs: createMemoryBlobs(), sessions: createSingleUserSessions() })
  onTestFinished(() => cloud.close())
  const registration = { name: 'd', type: 'server', platform: 'linux', metadata: {} }
  const register = () => cloud.registerDevice(user, registration)
  const devices = await Promise.all(Array.from({ length: count }, register))
  // The first request makes the cloud look for groups that a process left behind, and for those that expired.
  const request = new Request('http://127.0.0.1/api/nothing')
  await cloud.fetch(request)
  await expect.poll(() => statements.filter(({ sql }) => sql.includes('work_groups')).length).toBe(4)
  const send = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${devices[0]?.apiKey}`, 'content-type': 'application/json' }
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    const answer = await cloud.fetch(new Request(`http://127.0.0.1/api/devices/${path}`, init))
    expect(answer.status).toBe(200)
    return answer.json() as Promise<{ requests?: { id: string }[] }>
  }
  return {
    cloud,
    ids: devices.map(({ device }) => device.id),
    beat: () => send('POST', 'heartbeat', { metadata: { os: 'x', version: '1', hardware: 'y' } }),
    poll: () => send('GET', 'search/pending'),
    report: (queryId: string) => send('POST', 'search', { queryId, results: {} }),
    /** The statements that a call waits for. */
    async statementsOf(call: () => Promise<unknown>) {
      statements.length = 0
      await call()
      return statements.map(({ kind }) => kind)
    },
  }
}

const countRows = async () => {
  const tables = ['devices', 'searches', 'uploads', 'work_groups', 'creations', 'audit']
  const [row] = await database.query(
    `select ${tables.map((table) => `(select count(*)::int from ${schema}.${table}) as ${table}`).join()}`,
  )
  return row
}

/** Bytes of a table with its indices. */
const sizeOf = async (table: string, where = database, inSchema = schema) => {
  const [row] = await where.query(`select pg_total_relation_size('${inSchema}.${table}')::int as bytes`)
  return (row as { bytes: number }).bytes
}

const times = (count: number, kind: 'read' | 'write') => Array.from({ length: count }, () => kind)
const searchFor = (deviceIds: string[]) => ({ query: 'q', scope: ['files' as const], deviceIds })

describe('statements', () => {
  it('a heartbeat and a poll wait for one read each, a report for one write, a key that is not cached for one read more', async () => {
    const { cloud, ids, beat, poll, report, statementsOf } = await openCloud(1)
    expect(await statementsOf(beat)).toEqual(['read', 'read'])
    expect(await statementsOf(beat)).toEqual(['read'])
    expect(await statementsOf(poll)).toEqual(['read'])
    await cloud.createSearches(user, searchFor(ids))
    const { requests } = await poll()
    expect(await statementsOf(() => report(requests?.[0]?.id ?? ''))).toEqual(['write'])
  })

  it('C32: a search for n devices is a transaction of n + 1 reads, n rows, a group and an entry of the audit', async () => {
    const { cloud, ids, statementsOf } = await openCloud(5)
    for (const count of [1, 5]) {
      const asked = await statementsOf(() => cloud.createSearches(user, searchFor(ids.slice(0, count))))
      expect(asked.toSorted()).toEqual([...times(count + 1, 'read'), ...times(count + 2, 'write')])
    }
  })
})

describe('rows', () => {
  it('beats, polls and reports leave none; a search or upload request leaves one, and each act a group and an entry of the audit, which stay without their devices', async () => {
    const { cloud, ids, beat, poll, report } = await openCloud(2)
    const registered = { devices: 2, searches: 0, uploads: 0, work_groups: 0, creations: 0, audit: 2 }
    expect(await countRows()).toEqual(registered)
    await cloud.createSearches({ ...user, idempotencyKey: 'k' }, searchFor(ids))
    await cloud.createUploads(user, { filePath: '/x', destination: 'cloud', deviceIds: ids })
    const asked = { devices: 2, searches: 2, uploads: 2, work_groups: 2, creations: 1, audit: 4 }
    expect(await countRows()).toEqual(asked)
    for (let round = 0; round < 5; round += 1) {
      await beat()
      await poll()
    }
    for (const { id } of (await poll()).requests ?? []) await report(id)
    expect(await countRows()).toEqual(asked)
    expect(await database.query(`select * from ${schema}.presence_gaps`)).toEqual([])
    await cloud.deleteDevice(user, ids[0] ?? '')
    const rest = { devices: 1, searches: 1, uploads: 1, work_groups: 2, creations: 1, audit: 5 }
    expect(await countRows()).toEqual(rest)
  })

  it('C20: what is remembered of an Idempotency-Key goes as others come', async () => {
    const store = await openStore()
    for (let second = 0; second < 60; second += 1) {
      const once = onceOf(`k${second}`, { createdAt: at(second), expiresAt: at(second + 10) })
      await store.insertDevice(deviceOf(`d${second}`), once)
    }
    expect(await countRows()).toMatchObject({ devices: 60, creations: 10 })
  })

  let tries = 0
  // A snapshot that Postgres holds for itself, to analyze a table, keeps rows for as long as a busy machine takes for it.
  it('C3: heartbeats write rows over within their pages, and touch no index', { retry: 2 }, async () => {
    const schema = `beats_${(tries += 1)}`
    const store = await openStore({ schema })
    const devices = Array.from({ length: 300 }, (_, index) => deviceOf(`d${index}`))
    await withDevices(store, devices)
    // The first heartbeat of a device adds its row.
    for (let round = 1; round <= 30; round += 1) {
      const beats = devices.map(({ id }) => ({ deviceId: id, lastSeenAt: at(round) }))
      await store.writeHeartbeats(beats, at(round))
    }
    await store.close() // connections that end say what they did
    const readCounts = async () => {
      const [row] = await database.query(`select n_tup_upd::int as written, n_tup_hot_upd::int as within
        from pg_stat_user_tables where schemaname = '${schema}' and relname = 'presence'`)
      return row as { written: number; within: number }
    }
    await expect.poll(async () => (await readCounts()).written).toBe(29 * 300)
    // The first of them find their pages fuller than they are meant to be.
    expect((await readCounts()).within).toBeGreaterThan(0.9 * 29 * 300)
  })

  // As above, of snapshots.
  it('C9, C32: reports and leases stay in their pages, and change no index', { retry: 2 }, async () => {
    const schema = `pages_${(tries += 1)}`
    const store = await openStore({ schema })
    const devices = Array.from({ length: 1000 }, (_, index) => deviceOf(`d${index}`))
    await withDevices(store, devices)
    const searches = devices.map(({ id: deviceId }) => searchOf(`s${deviceId}`, { deviceId, groupId: 'g1' }))
    const rest = { unmade: 1, after: null }
    await store.insertSearches('ann', searches, undefined, [], groupOf('g1', { rest }))
    const uploads = devices.map(({ id: deviceId }) => uploadOf(`u${deviceId}`, { deviceId }))
    await store.insertUploads('ann', uploads, undefined)
    const file = { name: 'invoice.pdf', path: '/home/ann/documents/invoice.pdf', size: 1, modified: at(0) }
    const outcome = { status: 'completed' as const, results: { files: [file] }, filesFound: 1, error: null }
    // A tenth at a time, from all pages: room comes back once nobody sees the old version.
    for (let digit = 0; digit < 10; digit += 1) {
      const some = devices.filter(({ id }) => id.endsWith(`${digit}`)).map(({ id }) => id)
      const leaseOf = (deviceId: string) => ({
        blobId: `b${deviceId}`,
        leaseUntil: at(9),
        now: at(1),
        maxLeases: 9,
      })
      await Promise.all(
        some.map((deviceId) => store.settleSearch({ id: `s${deviceId}`, deviceId, outcome, now: at(1) })),
      )
      await Promise.all(
        some.map((deviceId) => store.leaseUpload({ id: `u${deviceId}`, deviceId, ...leaseOf(deviceId) })),
      )
    }
    for (let second = 1; second < 20; second += 1)
      await store.claimGroup({ leaseId: 'l', now: at(10 * second), leaseUntil: at(10 * second + 9) })
    await store.close()
    const readShares = async () => {
      const rows = await database.query(`select relname as name, n_tup_upd::int as written,
        n_tup_hot_upd::int as within from pg_stat_user_tables where schemaname = '${schema}' and n_tup_upd > 0`)
      return Object.fromEntries(rows.map(({ name, ...counts }) => [name, counts])) as Record<
        string,
        { written: number; within: number }
      >
    }
    await expect.poll(async () => (await readShares())['searches']?.written).toBe(1000)
    const shares = await readShares()
    for (const table of ['searches', 'uploads', 'work_groups', 'group_counts']) {
      const { written, within } = shares[table]!
      expect(within / written, table).toBeGreaterThan(0.9)
    }
    // Reports that come together change the counts once.
    expect(shares['group_counts']!.written).toBeLessThan(1000 + 300)
  })

  const backups = [
    { where: 'the same database', isApart: false, mostBytes: 150 },
    { where: 'the first database, and presence is in another one', isApart: true, mostBytes: 5 },
  ]
  for (const { where, isApart, mostBytes } of backups) {
    it(`C3: heartbeats stay small while a backup holds a snapshot of ${where}`, async () => {
      const apart = isApart ? await createTestDatabase(server.line) : undefined
      const presence = apart && { connectionString: apart.connectionString }
      const store = await openStore(presence && { presence })
      const devices = Array.from({ length: 2000 }, (_, index) => deviceOf(`${index}`.padStart(36, 'd')))
      await Promise.all(devices.map((device) => store.insertDevice(device, undefined)))
      const beatOften = async (from: number) => {
        for (let round = from; round < from + 20; round += 1) {
          const beats = devices.map(({ id }) => ({ deviceId: id, lastSeenAt: at(round) }))
          await store.writeHeartbeats(beats, at(round))
        }
      }
      const sizeOfPresence = () =>
        apart === undefined ? sizeOf('presence') : sizeOf('presence', apart, `${schema}_presence`)
      await beatOften(1)
      const before = await sizeOfPresence()
      const { connectionString } = database
      const backup = new Client({ connectionString })
      await backup.connect()
      onTestFinished(() => backup.end())
      await backup.query(`begin isolation level repeatable read; select count(*) from ${schema}.devices`)
      const devicesBefore = await sizeOf('devices')
      await beatOften(21)
      expect(((await sizeOfPresence()) - before) / (20 * devices.length)).toBeLessThan(mostBytes)
      // a vacuum may add a page or two; a row for each heartbeat would be megabytes
      expect((await sizeOf('devices')) - devicesBefore).toBeLessThan(100_000)
    })
  }
})

it('connections of a process are 13, or as many as `maxConnections` says and one that listens', async () => {
  const useAll = async (options: PostgresStoreOptions) => {
    const store = await openStore(options)
    const devices = Array.from({ length: 100 }, (_, index) => deviceOf(`d${index}`))
    await withDevices(store, devices)
    await Promise.all(
      devices.flatMap(({ id }) => [
        store.findDevice('ann', id),
        store.insertSearches('ann', [searchOf(`s${id}`, { deviceId: id })], undefined),
      ]),
    )
    // What a pool has opened stays open for half a minute.
    const rows = await database.query(
      `select 1 from pg_stat_activity where datname = current_database() and application_name = $1`,
      [options.applicationName],
    )
    return rows.length
  }
  expect(await useAll({ applicationName: 'whole' })).toBe(13)
  await emptySchema(database, schema)
  expect(await useAll({ applicationName: 'small', maxConnections: 4 })).toBe(5)
})
