import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createMemoryBlobs } from '../blobs/memory/index.ts'
import { createDeviceCloud } from '../cloud/create-device-cloud.ts'
import { createMemoryStore } from '../memory/index.ts'
import type { CloudStore } from '../ports/cloud-store.ts'
import { createSingleUserSessions } from '../sessions/single-user-sessions.ts'
import { withDevices, deviceOf } from '../testing/store-harness.ts'
import { hashText } from '../keys/api-key.ts'

const windowMs = 60_000
const keyOf = (id: string) => `hw_${id.padEnd(43, 'x')}`

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }))
afterEach(() => void vi.useRealTimers())

/** A cloud over a store that may be shared, and the ids of the devices that it reports as offline. */
function start(store: CloudStore) {
  const offline: string[] = []
  const online: string[] = []
  const errors: unknown[] = []
  const cloud = createDeviceCloud({
    store: { ...store, close: async () => {} },
    blobs: createMemoryBlobs(),
    sessions: createSingleUserSessions(),
    onlineWindowMs: windowMs,
    onError: (error) => errors.push(error),
  })
  cloud.events.on('device:offline', ({ deviceId }) => offline.push(deviceId))
  cloud.events.on('device:online', ({ deviceId }) => online.push(deviceId))
  const beat = async (...ids: readonly string[]) => {
    for (const id of ids) {
      const headers = { authorization: `Bearer ${keyOf(id)}`, 'content-type': 'application/json' }
      const init = { method: 'POST', headers, body: '{"metadata":{}}' }
      const answer = await cloud.fetch(new Request('http://127.0.0.1/api/devices/heartbeat', init))
      expect(answer.status).toBe(200)
    }
  }
  return { cloud, offline, online, errors, beat }
}

async function createStore(...ids: readonly string[]): Promise<CloudStore> {
  const store = createMemoryStore()
  const keyed = (id: string) => ({ hash: hashText(keyOf(id)), hint: '', sealed: null })
  await withDevices(
    store,
    ids.map((id) => deviceOf(id, { key: keyed(id) })),
  )
  return store
}

/** Lets time pass, with a heartbeat of some devices every 20 s. */
async function pass(ms: number, beat?: () => Promise<void>): Promise<void> {
  for (let left = ms; left > 0; left -= 20_000) {
    await vi.advanceTimersByTimeAsync(Math.min(left, 20_000))
    await beat?.()
  }
}

describe('C2: device:offline', () => {
  it('is emitted once for each silence', async () => {
    const { cloud, offline, online, beat } = start(await createStore('a', 'b'))
    await beat('a', 'b')
    await pass(120_000, () => beat('b'))
    expect([offline, online]).toEqual([['a'], ['a', 'b']])
    await beat('a')
    await pass(600_000, () => beat('b'))
    expect([offline, online]).toEqual([
      ['a', 'a'],
      ['a', 'b', 'a'],
    ])
    await cloud.close()
  })

  it('waits for devices to return after a start, then reports those that stay silent, once', async () => {
    const store = await createStore('a', 'b', 'never')
    const first = start(store)
    await first.beat('a', 'b')
    await first.cloud.close()
    await vi.advanceTimersByTimeAsync(10 * windowMs)

    const second = start(store)
    await second.beat('b')
    await pass(windowMs - 1000, () => second.beat('b'))
    expect(second.offline).toEqual([])
    await pass(windowMs, () => second.beat('b'))
    expect(second.offline).toEqual(['a'])
    await second.cloud.close()

    const third = start(store)
    await third.beat('b')
    await pass(4 * windowMs, () => third.beat('b'))
    expect(third.offline).toEqual([])
    await third.cloud.close()
  })

  it('waits again after an outage of the store', async () => {
    const store = await createStore('a', 'b')
    let isDown = false
    const writeHeartbeats: CloudStore['writeHeartbeats'] = async (...input) => {
      if (isDown) throw new Error('The store is down')
      return store.writeHeartbeats(...input)
    }
    const { cloud, offline, errors, beat } = start({ ...store, writeHeartbeats })
    await beat('a', 'b')
    await pass(2 * windowMs, () => beat('a', 'b'))
    isDown = true
    await pass(10 * windowMs, () => beat('b'))
    expect([offline.length, errors.length > 0]).toEqual([0, true])
    isDown = false
    await pass(windowMs - 20_000, () => beat('b'))
    expect(offline).toEqual([])
    await pass(2 * windowMs, () => beat('b'))
    expect(offline).toEqual(['a'])
    await cloud.close()
  })

  it('is emitted by one of two processes, and by none while the other one gets heartbeats', async () => {
    const ids = Array.from({ length: 200 }, (_, index) => `d${index}`)
    const store = await createStore(...ids)
    const processes = [start(store), start(store)]
    for (const each of processes) await each.beat(...ids)
    await pass(3 * windowMs, () => processes[1]!.beat('d0'))
    const reported = processes.flatMap(({ offline }) => offline)
    expect(reported.toSorted()).toEqual(ids.slice(1).toSorted())
    for (const { cloud } of processes) await cloud.close()
  })

  it('leaves no timer and asks for nothing once all devices are silent', async () => {
    const { cloud, offline, beat } = start(await createStore('a'))
    await beat('a')
    await pass(3 * windowMs)
    expect([offline, vi.getTimerCount()]).toEqual([['a'], 0])
    await cloud.close()
  })

  it('removes the presence of devices that are gone', async () => {
    const store = await createStore('a')
    const removePresence = vi.fn<CloudStore['removePresence']>(async () => 1)
    const gone = { deviceId: 'gone', owner: null, lastSeenAt: '2026-01-01T00:00:00.000Z', isReported: false }
    const { cloud, beat } = start({ ...store, removePresence, listPresence: async () => [gone] })
    await beat('a')
    await pass(2 * windowMs)
    expect(removePresence.mock.calls).toEqual([[['gone']]])
    await cloud.close()
  })
})
