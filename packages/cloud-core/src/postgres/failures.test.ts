import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createCutProxy } from '../../../../tests/postgres/cut-proxy.ts'
import { useTestDatabase } from '../../../../tests/postgres/use-test-database.ts'
import type { TestDatabase } from '../../../../tests/postgres/test-database.ts'
import { createMemoryBlobs } from '../blobs/memory/index.ts'
import { createDeviceCloud } from '../cloud/create-device-cloud.ts'
import type { CloudStore } from '../ports/cloud-store.ts'
import { createSingleUserSessions } from '../sessions/single-user-sessions.ts'
import { at, auditOf, deviceOf, online, searchOf, uploadOf, withDevices } from '../testing/store-harness.ts'
import type { PostgresStoreOptions } from './index.ts'
import { CloudStoreError, createPostgresStore } from './index.ts'
import { emptySchema } from './testing/empty-schema.ts'

const schema = 'broken'
const everyConnection =
  'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()'
let database: TestDatabase
const atEnd = useTestDatabase(
  (made) => (database = made),
  () => emptySchema(database, schema),
)

const openStore = async (options: PostgresStoreOptions = {}): Promise<CloudStore> => {
  const store = await createPostgresStore({ connectionString: database.connectionString, schema, ...options })
  atEnd.push(() => store.close())
  return store
}
const openProxy = async () => {
  const proxy = await createCutProxy(database.connectionString)
  atEnd.push(() => proxy.close())
  return proxy
}
const failureOf = async (call: () => Promise<unknown>) => {
  const thrown = await call().catch((error: unknown) => error)
  if (!CloudStoreError.is(thrown)) throw new Error('It did not fail as it has to.', { cause: thrown })
  return thrown
}
const unavailable = ['DATABASE_UNAVAILABLE', true]
const outcome = { status: 'completed', results: {}, error: null } as const
const settle = (store: CloudStore, id: string) =>
  store.settleSearch({ id, deviceId: 'd1', outcome, now: at(1) })

it('opens with errors of its own, without the password', async () => {
  const connectionString = Object.assign(new URL(database.connectionString), { port: '1' }).href
  const down = await failureOf(() => createPostgresStore({ connectionString }))
  expect([down.code, down.retryable]).toEqual(unavailable)
  expect(inspect(down, { depth: 9 })).not.toContain('test-password')
  await expect(createPostgresStore({ maxConnections: 3 })).rejects.toThrow(TypeError)
  await (await createPostgresStore({ connectionString: database.connectionString, schema: 'newer' })).close()
  await database.query("insert into newer.migrations (version, name) values (99, 'later')")
  expect((await failureOf(() => openStore({ schema: 'newer' }))).code).toBe('DATABASE_NEWER')
})

describe('while it runs', () => {
  it('fails with what may be tried again while the server is gone, and works again when it is back', async () => {
    const proxy = await openProxy()
    const store = await openStore({ connectionString: proxy.connectionString, connectTimeoutMs: 2000 })
    await withDevices(store)
    await store.insertSearches('ann', [searchOf('s1')], undefined)
    proxy.cut()
    const failures = await Promise.all([
      failureOf(() => store.insertDevice(deviceOf('d2'), undefined)),
      failureOf(() => store.listPendingSearches('d1', 9, at(1))),
      failureOf(() => store.countPending('d1', at(1))),
      failureOf(() => settle(store, 's1')),
      failureOf(() => store.listDevices('ann', {}, { limit: 9 }, online)),
    ])
    expect(failures.map(({ code, retryable }) => [code, retryable])).toEqual(
      Array.from({ length: 5 }, () => unavailable),
    )
    // By now there is no connection on which a report could have been sent: nothing is in doubt.
    expect((await failureOf(() => settle(store, 's1'))).message).toMatch(/cannot be reached/)
    proxy.mend()
    expect(await settle(store, 's1')).toEqual({ kind: 'settled' })
    expect((await store.listDevices('ann', {}, { limit: 9 }, online)).rows.map(({ id }) => id)).toEqual([
      'd1',
    ])
  })

  it('a cloud answers 500 while the server is gone, and works again when it is back', async () => {
    const proxy = await openProxy()
    const store = await openStore({ connectionString: proxy.connectionString, connectTimeoutMs: 2000 })
    const cloud = createDeviceCloud({
      store,
      blobs: createMemoryBlobs(),
      sessions: createSingleUserSessions(),
    })
    atEnd.push(() => cloud.close())
    const registration = { name: 'd', type: 'server', platform: 'linux', metadata: {} }
    const { apiKey } = await cloud.registerDevice({ userId: 'local' }, registration)
    const headers = { authorization: `Bearer ${apiKey}` }
    const poll = async () =>
      (await cloud.fetch(new Request('http://127.0.0.1/api/devices/search/pending', { headers }))).status
    const statuses = [await poll()]
    proxy.cut()
    statuses.push(await poll())
    proxy.mend()
    statuses.push(await poll())
    expect(statuses).toEqual([200, 500, 200])
  })

  it('never makes a transaction again of which it is not known whether it was committed', async () => {
    const proxy = await openProxy()
    const store = await openStore({ connectionString: proxy.connectionString })
    const heard: string[] = []
    store.subscribe?.(({ topic }) => void heard.push(topic))
    await withDevices(store)
    proxy.cutBehind('commit\0') // not where a connection asks for "read committed"
    const failure = await failureOf(() => store.insertDevice(deviceOf('d2'), undefined, [auditOf('e1')]))
    expect([failure.code, failure.message]).toEqual([
      'DATABASE_UNAVAILABLE',
      expect.stringMatching(/may or may not be stored/),
    ])
    expect((await store.listDevices('ann', {}, { limit: 9 }, online)).rows).toHaveLength(2)
    expect((await store.listAudit('ann', {}, { limit: 9 }, at(1))).rows).toHaveLength(1)
    // What a deletion or a rotation ended must not live on in a cache here.
    expect(heard).toContain('missed')
  })

  it('says that it is not known when the answer to a report is lost, and the repeat finds it settled', async () => {
    const proxy = await openProxy()
    const store = await openStore({ connectionString: proxy.connectionString })
    await withDevices(store)
    await store.insertSearches('ann', [searchOf('s1')], undefined)
    await settle(store, 'unknown')
    proxy.cutBehind('s1')
    expect((await failureOf(() => settle(store, 's1'))).message).toMatch(/may or may not be stored/)
    expect((await settle(store, 's1')).kind).toBe('already')
  })

  it('leaves a server that only reads as soon as there is one that writes', async () => {
    const store = await openStore({ maxConnections: 4 })
    await withDevices(store)
    await store.insertSearches('ann', [searchOf('s1'), searchOf('s2')], undefined)
    const name = new URL(database.connectionString).pathname.slice(1)
    const change = (how: string) => database.query(`begin read write; alter database ${name} ${how}; commit`)
    const writeAgain = () => change('reset default_transaction_read_only')
    atEnd.push(writeAgain)
    // Connections that are made from now on are as those to a standby: they read, whatever becomes of others.
    await change('set default_transaction_read_only = on')
    await database.query(everyConnection)
    await Promise.all(Array.from({ length: 4 }, () => store.listDevices('ann', {}, { limit: 9 }, online)))
    const failure = await failureOf(() => store.insertDevice(deviceOf('d2'), undefined))
    expect([failure.code, failure.message]).toEqual([
      'DATABASE_UNAVAILABLE',
      expect.stringMatching(/read-only standby/),
    ])
    await Promise.all(Array.from({ length: 4 }, () => store.listDevices('ann', {}, { limit: 9 }, online)))
    await writeAgain()
    expect(await settle(store, 's1')).toEqual({ kind: 'settled' })
    await store.insertDevice(deviceOf('d2'), undefined)
    expect(await settle(store, 's2')).toEqual({ kind: 'settled' })
  })

  it('one report that fails does not take down those that were committed with it', async () => {
    const store = await openStore()
    await withDevices(store)
    const ids = Array.from({ length: 30 }, (_, index) => `u${index}`)
    await store.insertUploads(
      'ann',
      ids.map((id) => uploadOf(id)),
      undefined,
    )
    const settled = await Promise.allSettled(
      ids.map((id, index) => {
        const file = { blobId: index < 2 ? 'same' : `blob-${id}`, fileName: 'f', size: 1, links: {} }
        return store.settleUpload({ id, deviceId: 'd1', outcome: { status: 'completed', file }, now: at(1) })
      }),
    )
    const failed = settled.filter(({ status }) => status === 'rejected')
    expect(failed).toMatchObject([{ reason: { code: 'CONFLICT' } }])
    const { rows } = await store.listUploads('ann', { status: 'completed' }, { limit: 99 }, at(2))
    expect(rows).toHaveLength(29)
  })

  it('keeps text that Postgres has no characters for', async () => {
    const store = await openStore()
    const text = `\u0000 \u0010 \u00100 'ö"\\ \u00101\u0010 🖥️ \u00102d800 \ud83d \ude00\ud83d`
    const device = deviceOf('d1', { owner: text, name: text, metadata: { os: text } })
    await store.insertDevice(device, undefined)
    expect(await store.findDevice(text, 'd1')).toEqual(device)
    await store.insertSearches(text, [searchOf(text, { query: text })], undefined)
    expect(await store.listPendingSearches('d1', 9, at(1))).toMatchObject([{ id: text, query: text }])
    expect((await settle(store, text)).kind).toBe('settled')
  })
})
