// What processes that share a database cost each other: counted, never timed.
import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createCutProxy } from '../../../../tests/postgres/cut-proxy.ts'
import type { TestDatabase } from '../../../../tests/postgres/test-database.ts'
import { useTestDatabase } from '../../../../tests/postgres/use-test-database.ts'
import { createMemoryBlobs } from '../blobs/memory/index.ts'
import { createDeviceCloud } from '../cloud/create-device-cloud.ts'
import type { CloudSignal } from '../ports/cloud-signal.ts'
import type { CloudStore } from '../ports/cloud-store.ts'
import { createPostgresStore, type PostgresStatement } from './index.ts'

const user = { userId: 'local' }
let database: TestDatabase
const atEnd = useTestDatabase((made) => (database = made))

/** A process, with what its devices read of the store, by device and by key. */
async function openProcess(connectionString: string, schema: string) {
  let statements = 0
  const reads = new Map<string, number>()
  const heard: CloudSignal['topic'][] = []
  /** Devices for which nothing waits, and those whose heartbeat is stored. */
  const waiting = new Set<string>()
  const stored = new Set<string>()
  // those that devices ask: of many at once
  const onStatement = ({ sql }: PostgresStatement) => void (statements += sql.includes('as asked') ? 1 : 0)
  const settings = { connectionString, schema, maxConnections: 4, connectTimeoutMs: 60_000 }
  const store = await createPostgresStore({ ...settings, onStatement })
  const count = (key: string) => void reads.set(key, (reads.get(key) ?? 0) + 1)
  const counting: CloudStore = {
    ...store,
    async countPending(deviceId, ...rest) {
      count(deviceId)
      const pending = await store.countPending(deviceId, ...rest)
      waiting.add(deviceId)
      return pending
    },
    findDeviceByKeyHash: (hash, ...rest) => (count(hash), store.findDeviceByKeyHash(hash, ...rest)),
  }
  counting.writeHeartbeats = async (batch, ...rest) => {
    await store.writeHeartbeats(batch, ...rest)
    for (const { deviceId } of batch) stored.add(deviceId)
  }
  store.subscribe?.(({ topic }) => void heard.push(topic))
  const cloud = createDeviceCloud({
    store: counting,
    blobs: createMemoryBlobs(),
    sessions: { resolve: () => user },
  })
  atEnd.push(async () => {
    await cloud.close()
    await store.close()
  })
  const ended: string[] = []
  return {
    cloud,
    store,
    heard,
    reads,
    ended,
    get statements() {
      return statements
    },
    forget() {
      reads.clear()
      heard.length = 0
      statements = 0
    },
    /** Opens a request for work of a new device, and waits until the request is held and its heartbeat stored. */
    async hold() {
      const registration = { name: 'd', type: 'server', platform: 'linux', metadata: {} }
      const { device, apiKey } = await cloud.registerDevice(user, registration)
      const headers = {
        authorization: `Bearer ${apiKey}`,
        prefer: 'wait=300',
        'content-type': 'application/json',
      }
      const init = { method: 'POST', headers, body: '{"metadata":{}}' }
      void cloud.fetch(new Request('http://127.0.0.1/api/devices/work', init)).then(async (answer) => {
        await answer.text()
        ended.push(device.id)
      })
      await expect.poll(() => waiting.has(device.id) && stored.has(device.id)).toBe(true)
      return device.id
    },
  }
}

it('C22: after a fail-over of ten processes, each long poll reads its key and its work once more', async () => {
  const proxy = await createCutProxy(database.connectionString)
  atEnd.push(() => proxy.close())
  const processes = []
  for (let index = 0; index < 10; index += 1)
    processes.push(await openProcess(proxy.connectionString, 'failover'))
  const held = await Promise.all(processes.map(({ hold }) => Promise.all(Array.from({ length: 10 }, hold))))
  for (const each of processes) each.forget()
  proxy.cut()
  // three tries of each to listen again
  await expect.poll(() => proxy.refused()).toBeGreaterThanOrEqual(3 * processes.length)
  expect(processes.flatMap(({ reads }) => [...reads])).toEqual([])
  proxy.mend()
  // Each key and each device once.
  for (const { reads } of processes) await expect.poll(() => reads.size).toBe(20)
  for (const { heard } of processes) expect(heard).toEqual(['missed'])
  // Work that another process adds still arrives.
  const [here, there] = [processes[0]!, processes[9]!]
  const deviceId = held[9]![0]!
  await expect
    .poll(async () => {
      await here.cloud.createSearches(user, { query: 'q', scope: ['files'], deviceIds: [deviceId] })
      return there.ended
    })
    .toEqual([deviceId])
  for (const { reads, heard } of processes) {
    expect(heard.filter((topic) => topic === 'missed')).toEqual(['missed'])
    for (const [key, count] of reads) if (key !== deviceId) expect({ key, count }).toEqual({ key, count: 1 })
  }
  // All polls of a process read together, not alone: their keys, then their work.
  for (const { statements } of processes.slice(1, 9)) expect(statements).toBeLessThan(10)
})

it('C34: 50,000 events in a moment wake no long poll of another process and forget no key', async () => {
  const [here, there] = [
    await openProcess(database.connectionString, 'events'),
    await openProcess(database.connectionString, 'events'),
  ]
  const deviceId = await there.hold()
  const stream = await there.cloud.fetch(
    new Request('http://127.0.0.1/api/devices/events', { headers: { accept: 'text/event-stream' } }),
  )
  expect(stream.status).toBe(200)
  const names: string[] = []
  const reading = (async () => {
    for await (const part of stream.body!.pipeThrough(new TextDecoderStream()))
      names.push(...[...part.matchAll(/^event: (.+)$/gm)].map(([, name = '']) => name))
  })()
  there.forget()
  const event = {
    owner: user.userId,
    name: 'device.online',
    data: { deviceId, at: '2026-01-01T00:00:00.000Z' },
  } as const
  for (let round = 0; round < 50; round += 1) {
    for (let index = 0; index < 1000; index += 1) here.store.publish?.([{ topic: 'events', events: [event] }])
    await setImmediate()
  }
  here.store.publish?.([{ topic: 'work', deviceIds: ['another'] }])
  await expect.poll(() => there.heard).toContain('work')
  await here.cloud.registerDevice(user, { name: 'd', type: 'server', platform: 'linux', metadata: {} })
  await expect.poll(() => names.at(-1)).toBe('device.registered')
  expect(there.heard).not.toContain('missed')
  // Neither its key nor its work was read again, and no poll ended.
  expect([...there.reads]).toEqual([])
  expect(there.ended).toEqual([])
  expect(names.filter((name) => name === 'device.online' || name === 'reset').length).toBeGreaterThan(0)
  await there.cloud.close()
  await reading
})
