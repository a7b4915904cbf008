import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { TestDatabase } from '../../../../tests/postgres/test-database.ts'
import { createTestDatabase } from '../../../../tests/postgres/test-database.ts'
import { createMemoryBlobs } from '../blobs/memory/index.ts'
import { createDeviceCloud } from '../cloud/create-device-cloud.ts'
import type { CloudSignal } from '../ports/cloud-signal.ts'
import type { CloudStore } from '../ports/cloud-store.ts'
import { createSingleUserSessions } from '../sessions/single-user-sessions.ts'
import {
  at,
  auditOf,
  deviceOf,
  keyOf,
  onceOf,
  online,
  searchOf,
  uploadOf,
  withDevices,
} from '../testing/store-harness.ts'
import { race } from '@homeward/kit/testing'
import type { PostgresStoreOptions } from './index.ts'
import { createPostgresStore } from './index.ts'
import { emptySchema } from './testing/empty-schema.ts'

const schema = 'shared'
const listeners = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and query ilike '%listen%' and pid <> pg_backend_pid()`
let database: TestDatabase
let open: { close(): Promise<void> }[] = []

beforeAll(async () => {
  database = await createTestDatabase()
})
afterEach(async () => {
  await Promise.all(open.map((each) => each.close()))
  open = []
  await emptySchema(database, schema)
})
afterAll(() => database.drop())

const openStore = async (options: PostgresStoreOptions = {}): Promise<CloudStore> => {
  const { connectionString } = database
  const store = await createPostgresStore({ connectionString, schema, ...options })
  open.push(store)
  return store
}
const openTwo = async () => [await openStore(), await openStore()] as const
const outcome = { status: 'completed', results: {}, error: null } as const

it('makes the tables once, however many open it at the same time', async () => {
  const { connectionString } = database
  const stores = await race(() => createPostgresStore({ connectionString, schema: 'fresh' }))
  expect(await stores[0]?.insertDevice(deviceOf('d1'), undefined)).toEqual({ kind: 'created' })
  expect((await stores[7]?.listDevices('ann', {}, { limit: 9 }, online))?.rows.map(({ id }) => id)).toEqual([
    'd1',
  ])
  await Promise.all(stores.map((store) => store.close()))
  expect(await database.query('select version from fresh.migrations')).toEqual([
    { version: 2 },
    { version: 3 },
    { version: 4 },
    { version: 5 },
    { version: 6 },
    { version: 7 },
  ])
})

it('keeps clouds of one database apart by their schema', async () => {
  await withDevices(await openStore({ schema: 'one' }))
  expect(
    (await (await openStore({ schema: 'two' })).listDevices('ann', {}, { limit: 9 }, online)).rows,
  ).toEqual([])
})

describe('two processes on one database', () => {
  it('C9: settle each search once between them', async () => {
    const stores = await openTwo()
    await withDevices(stores[0])
    const ids = Array.from({ length: 40 }, (_, index) => `s${index}`)
    await stores[0].insertSearches(
      'ann',
      ids.map((id) => searchOf(id)),
      undefined,
    )
    const settle = (store: CloudStore, id: string) =>
      store.settleSearch({ id, deviceId: 'd1', outcome, now: at(1) })
    const outcomes = await Promise.all([
      ...ids.map((id) => settle(stores[0], id)),
      ...ids.toReversed().map((id) => settle(stores[1], id)),
    ])
    expect(outcomes.filter(({ kind }) => kind === 'settled')).toHaveLength(40)
    expect(outcomes.filter(({ kind }) => kind === 'already')).toHaveLength(40)
  })

  it('C9: do so also where transactions see the past by default', async () => {
    const [row] = await database.query('select current_database() as name')
    const setDefault = (level: string) =>
      database.query(`alter database ${row?.['name']} set default_transaction_isolation = ${level}`)
    await setDefault("'repeatable read'")
    onTestFinished(async () => void (await setDefault('default')))
    await race(() => openStore({ schema: 'past' }))
    const stores = await openTwo()
    await withDevices(stores[0])
    const ids = Array.from({ length: 20 }, (_, index) => `s${index}`)
    await stores[0].insertSearches(
      'ann',
      ids.map((id) => searchOf(id)),
      undefined,
    )
    for (const id of ids) {
      const reports = await race((index) =>
        stores[index % 2 === 0 ? 0 : 1].settleSearch({ id, deviceId: 'd1', outcome, now: at(1) }),
      )
      expect(reports.filter(({ kind }) => kind === 'settled')).toHaveLength(1)
      expect(reports.filter(({ kind }) => kind === 'already')).toHaveLength(7)
    }
  })

  it('C20: create once between them', async () => {
    const stores = await openTwo()
    const kinds = await race(async (index) => {
      const device = deviceOf(`d${index}`)
      return (await stores[index % 2 === 0 ? 0 : 1].insertDevice(device, onceOf('k'), [auditOf(`e${index}`)]))
        .kind
    })
    expect(kinds.filter((kind) => kind === 'created')).toHaveLength(1)
    expect((await stores[0].listDevices('ann', {}, { limit: 9 }, online)).rows).toHaveLength(1)
    expect((await stores[1].listAudit('ann', {}, { limit: 9 }, at(1))).rows).toHaveLength(1)
  })

  it('C4: of leases, reports and cancels that race, each request gets one end', async () => {
    const stores = await openTwo()
    await withDevices(stores[0])
    const ids = Array.from({ length: 20 }, (_, index) => `u${index}`)
    await stores[0].insertUploads(
      'ann',
      ids.map((id) => uploadOf(id)),
      undefined,
    )
    await Promise.all(
      ids.map(async (id) => {
        const file = { blobId: `b${id}`, fileName: 'f', size: 1, links: {} }
        const report = { id, deviceId: 'd1', outcome: { status: 'completed', file } as const, now: at(1) }
        const [leased, settled, canceled] = await Promise.all([
          stores[0].leaseUpload({ id, deviceId: 'd1', blobId: 'a', leaseUntil: at(9), now: at(1) }),
          stores[1].settleUpload(report),
          stores[0].cancelUpload('ann', id, at(1)),
        ])
        expect([settled.kind === 'settled', canceled.kind === 'canceled']).toContain(false)
        expect([leased.kind, settled.kind, canceled.kind]).not.toContain('unknown')
      }),
    )
  })

  it('C25: give out as many leases between them as a device may hold', async () => {
    const stores = await openTwo()
    await withDevices(stores[0])
    const uploads = Array.from({ length: 8 }, (_, index) => uploadOf(`u${index}`))
    await stores[0].insertUploads('ann', uploads, undefined)
    const lease = { deviceId: 'd1', blobId: 'a', leaseUntil: at(9), now: at(1), maxLeases: 3 }
    const kinds = await race(
      async (index) =>
        (await stores[index % 2 === 0 ? 0 : 1].leaseUpload({ ...lease, id: `u${index}` })).kind,
    )
    expect(kinds.toSorted()).toEqual([...Array(5).fill('busy'), ...Array(3).fill('leased')])
  })

  it('C15: rotate and retire keys between them, and one current key works', async () => {
    const stores = await openTwo()
    await withDevices(stores[0])
    await race(async (index) => {
      const store = stores[index % 2 === 0 ? 0 : 1]
      const key = keyOf(`k${index}`)
      await store.rotateKey({ owner: 'ann', deviceId: 'd1', key, previousUntil: at(50), now: at(index) })
      await store.retirePreviousKey('d1', key.hash)
    })
    const found = await race((index) => stores[0].findDeviceByKeyHash(`hash-k${index}`, at(9)))
    expect(found.filter((match) => match?.match === 'current')).toHaveLength(1)
  })

  it('C3: write heartbeats of the same devices without standing in each other’s way', async () => {
    const stores = await openTwo()
    const ids = Array.from({ length: 200 }, (_, index) => `d${index}`)
    await withDevices(
      stores[0],
      ids.map((id) => deviceOf(id)),
    )
    const beats = (second: number) =>
      ids.map((deviceId) => ({ deviceId, lastSeenAt: at(second), metadata: { [`key${second}`]: 1 } }))
    await Promise.all(
      Array.from({ length: 6 }, (_, second) =>
        stores[second % 2 === 0 ? 0 : 1].writeHeartbeats(beats(second).toReversed(), at(9)),
      ),
    )
    const device = await stores[1].findDevice('ann', 'd7')
    expect([device?.lastSeenAt, Object.keys(device?.metadata ?? {}).length]).toEqual([at(5), 7])
  })

  it('C2: give each silent device to one of them', async () => {
    const stores = await openTwo()
    const devices = Array.from({ length: 200 }, (_, index) => deviceOf(`d${index}`, { lastSeenAt: at(1) }))
    await withDevices(stores[0], devices)
    const deviceIds = devices.map(({ id }) => id)
    const claims = await Promise.all(
      [stores[0], stores[1], stores[0], stores[1]].map((store, index) =>
        store.claimOffline({
          deviceIds: index < 2 ? deviceIds : deviceIds.toReversed(),
          seenBefore: at(2),
          now: at(3),
        }),
      ),
    )
    expect(claims.flatMap((claim) => claim.map(({ deviceId }) => deviceId)).toSorted()).toEqual(
      deviceIds.toSorted(),
    )
  })

  it('C15: a device that is deleted while work is added for it keeps none', async () => {
    const stores = await openTwo()
    for (let round = 0; round < 10; round += 1) {
      await withDevices(stores[0])
      const [added, deleted] = await Promise.all([
        stores[0].insertUploads('ann', [uploadOf(`u${round}`)], undefined),
        stores[1].deleteDevice('ann', 'd1'),
      ])
      expect(['created', 'unknown_device']).toContain(added.kind)
      expect(deleted).toEqual({ blobIds: [] })
    }
    expect(await database.query(`select id from ${schema}.uploads`)).toEqual([])
  })
})

describe('signals', () => {
  const listen = (store: CloudStore) => {
    const heard: CloudSignal[] = []
    store.subscribe?.((signal) => void heard.push(signal))
    return heard
  }

  it('C34: pass on events, and who follows them, to the other process', async () => {
    const stores = await openTwo()
    const [here, there] = [listen(stores[0]), listen(stores[1])]
    const events = [{ owner: 'ann', name: 'device.online', data: { deviceId: 'd1', at: at(1) } }] as const
    const signals = [
      { topic: 'follow', owners: ['ann'] },
      { topic: 'events', events },
    ] as const
    stores[0].publish?.(signals)
    await expect.poll(() => there).toEqual(signals)
    expect(here).toEqual([])
  })

  it('tell the other process of work and of keys that ended, and not their sender', async () => {
    const stores = await openTwo()
    const [here, there] = [listen(stores[0]), listen(stores[1])]
    await withDevices(stores[0])
    const many = Array.from({ length: 90 }, (_, index) => deviceOf(`m${index}`))
    await withDevices(stores[0], many)
    await stores[0].insertSearches(
      'ann',
      many.map(({ id }) => searchOf(id, { deviceId: id })),
      undefined,
    )
    await expect
      .poll(() => there.flatMap((signal) => (signal.topic === 'work' ? signal.deviceIds : [])))
      .toHaveLength(90)
    await stores[0].insertUploads('ann', [uploadOf('u1'), uploadOf('u2')], undefined)
    await expect
      .poll(() => there.filter(({ topic }) => topic === 'work').at(-1))
      .toEqual({ topic: 'work', deviceIds: ['d1'] })
    await stores[0].rotateKey({
      owner: 'ann',
      deviceId: 'd1',
      key: keyOf('k2'),
      previousUntil: at(9),
      now: at(1),
    })
    await stores[0].retirePreviousKey('d1', 'hash-k2')
    await stores[0].deleteDevice('ann', 'd1')
    const ended = () => there.flatMap((signal) => (signal.topic === 'keys' ? signal.hashes : []))
    await expect.poll(ended).toEqual(['hash-d1', 'hash-k2'])
    expect(here).toEqual([])
  })

  it('tell everybody to look after a connection broke, and pass on signals again', async () => {
    const stores = await openTwo()
    const there = listen(stores[1])
    await withDevices(stores[0])
    await database.query(listeners)
    await expect.poll(() => there.map(({ topic }) => topic)).toContain('missed')
    let round = 0
    await expect
      .poll(async () => {
        await stores[0].insertSearches('ann', [searchOf(`s${(round += 1)}`)], undefined)
        return there.map(({ topic }) => topic)
      })
      .toContain('work')
  })

  it('C22: a poll that one process holds is answered with what another one adds', async () => {
    const clouds = await Promise.all(
      [0, 1].map(async () => {
        const store = await openStore()
        return createDeviceCloud({ store, blobs: createMemoryBlobs(), sessions: createSingleUserSessions() })
      }),
    )
    const [here, there] = [clouds[0]!, clouds[1]!]
    open.unshift(...clouds)
    const user = { userId: 'local' }
    const registration = { name: 'd', type: 'server', platform: 'linux', metadata: {} }
    const { device, apiKey } = await here.registerDevice(user, registration)
    const headers = { authorization: `Bearer ${apiKey}` }
    const ask = (path: string, wait: number) =>
      there.fetch(
        new Request(`http://127.0.0.1/api/devices/${path}`, {
          headers: { ...headers, prefer: `wait=${wait}` },
        }),
      )
    const startedAt = performance.now()
    const held = ask('search/pending', 60)
    const heldUploads = ask('files/upload-requests/pending', 60)
    // The poll is held once its key was looked up and its first read found nothing.
    await there.fetch(new Request('http://127.0.0.1/api/devices/search/pending', { headers }))
    await here.createSearches(user, { query: 'q', scope: ['files'], deviceIds: [device.id] })
    await here.createUploads(user, { filePath: '/x', destination: 'cloud', deviceIds: [device.id] })
    expect(((await (await held).json()) as { requests: unknown[] }).requests).toHaveLength(1)
    expect(((await (await heldUploads).json()) as { requests: unknown[] }).requests).toHaveLength(1)
    expect(performance.now() - startedAt).toBeLessThan(30_000)

    // C15: what one process deletes, another one does not take for valid out of its cache.
    await here.deleteDevice(user, device.id)
    await expect.poll(async () => (await ask('search/pending', 0)).status).toBe(401)
  })
})
