import { deviceCloudEvents } from '@homeward/contract/device-cloud'
import { readEvents } from '@homeward/contract/events'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createMemoryBlobs } from '../blobs/memory/index.ts'
import { createDeviceCloud, type DeviceCloud } from '../cloud/create-device-cloud.ts'
import { createMemoryStore } from '../memory/index.ts'
import type { CloudSignal } from '../ports/cloud-signal.ts'
import type { CloudStore } from '../ports/cloud-store.ts'

afterEach(() => void vi.useRealTimers())

const registration = { name: 'd', type: 'server', platform: 'linux', metadata: {} } as const
const sessions = {
  resolve: async (request: { header(name: string): string | undefined }) => ({
    userId: request.header('x-user') ?? 'ann',
  }),
}

/** Stores of processes on one storage, which tell each other what they publish. */
function createStores(count: number): { stores: CloudStore[]; tellAll: (signal: CloudSignal) => void } {
  const memory = createMemoryStore()
  const listeners = new Map<number, (signal: CloudSignal) => void>()
  const stores = Array.from({ length: count }, (_, index): CloudStore => ({
    ...memory,
    subscribe(listener) {
      listeners.set(index, listener)
      return () => void listeners.delete(index)
    },
    publish(signals) {
      for (const [other, listener] of listeners) if (other !== index) signals.forEach(listener)
    },
    close: async () => {},
  }))
  return { stores, tellAll: (signal) => listeners.forEach((listener) => listener(signal)) }
}

const openAt = (store: CloudStore, now: () => number) =>
  createDeviceCloud({ store, blobs: createMemoryBlobs(), sessions, now })
const open = (store: CloudStore) => openAt(store, Date.now)

/** Opens the stream of a user; `next` gives its next event with the id that stands with it. */
async function follow(cloud: DeviceCloud, { user = 'ann', lastId = '', token = '' } = {}) {
  const authorization = token === '' ? {} : { authorization: `Bearer ${token}` }
  const headers = { 'x-user': user, ...authorization, ...(lastId !== '' && { 'last-event-id': lastId }) }
  const answer = await cloud.fetch(new Request('http://127.0.0.1/api/devices/events', { headers }))
  if (answer.status !== 200)
    return { status: answer.status, next: async () => undefined, leave: async () => {} }
  const events = readEvents(answer.body!, deviceCloudEvents)
  return {
    status: 200,
    async next() {
      const { value } = await events.next()
      return value && { id: value.id, event: value.event, data: value.data }
    },
    async leave() {
      await events.return(undefined)
      if (!answer.body!.locked) await answer.body!.cancel() // nothing of it was read
    },
  }
}

const register = async (cloud: DeviceCloud, userId = 'ann') =>
  (await cloud.registerDevice({ userId }, registration)).device.id

describe('C34: a stream of events', () => {
  it('gives the events of its user, and no other, as they happen', async () => {
    const cloud = open(createStores(1).stores[0]!)
    const [ann, bob] = [await follow(cloud), await follow(cloud, { user: 'bob' })]
    const deviceId = await register(cloud)
    await cloud.deleteDevice({ userId: 'ann' }, deviceId)
    const other = await register(cloud, 'bob')
    expect([await ann.next(), await ann.next()]).toMatchObject([
      { event: 'device.registered', data: { deviceId } },
      { event: 'device.deleted', data: { deviceId } },
    ])
    expect(await bob.next()).toMatchObject({ event: 'device.registered', data: { deviceId: other } })
    await cloud.close()
    expect([await ann.next(), await bob.next()]).toEqual([undefined, undefined])
  })

  it('continues after the last event that its reader saw', async () => {
    const cloud = open(createStores(1).stores[0]!)
    const first = await follow(cloud)
    await register(cloud)
    const seen = await first.next()
    await first.leave()
    const missed = await register(cloud)
    const second = await follow(cloud, { lastId: seen!.id! })
    expect(await second.next()).toMatchObject({ event: 'device.registered', data: { deviceId: missed } })
    await cloud.close()
  })

  it.each(['unknown', 'feed.1', 'x.0', 'ä'.normalize('NFD').slice(0, 1)])(
    'begins with reset when it does not know what happened after %s',
    async (lastId) => {
      const cloud = open(createStores(1).stores[0]!)
      const stream = await follow(cloud, { lastId })
      const deviceId = await register(cloud)
      const [reset, next] = [await stream.next(), await stream.next()]
      expect([reset, next]).toMatchObject([{ event: 'reset', data: {} }, { data: { deviceId } }])
      await stream.leave()
      const again = await follow(cloud, { lastId: reset!.id! })
      expect(await again.next()).toMatchObject({ data: { deviceId } })
      await cloud.close()
    },
  )

  it('begins with reset after more events than it keeps', async () => {
    const cloud = open(createStores(1).stores[0]!)
    const first = await follow(cloud)
    await register(cloud)
    const seen = await first.next()
    await first.leave()
    for (let index = 0; index < 1001; index += 1) await register(cloud)
    expect(await (await follow(cloud, { lastId: seen!.id! })).next()).toMatchObject({ event: 'reset' })
    await cloud.close()
  })

  it('ends for a reader that is too slow', async () => {
    const cloud = open(createStores(1).stores[0]!)
    const answer = await cloud.fetch(new Request('http://127.0.0.1/api/devices/events'))
    const reader = answer.body!.getReader()
    await reader.read()
    await reader.read()
    for (let index = 0; index < 1002; index += 1) await register(cloud)
    let parts = 0
    while (!(await reader.read()).done) parts += 1
    expect(parts).toBeLessThan(1002)
    await cloud.close()
  })

  it('is one of 20 of a user, and ends after five minutes', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const cloud = open(createStores(1).stores[0]!)
    const streams = await Promise.all(Array.from({ length: 20 }, () => follow(cloud)))
    expect((await follow(cloud)).status).toBe(429)
    const other = await follow(cloud, { user: 'bob' })
    expect(other.status).toBe(200)
    const ends = Promise.all(streams.map(({ next }) => next()))
    await vi.advanceTimersByTimeAsync(5 * 60_000)
    expect(new Set(await ends)).toEqual(new Set([undefined]))
    const last = await follow(cloud)
    expect(last.status).toBe(200)
    await Promise.all([other.leave(), last.leave()])
    await cloud.close()
  })

  it.each(['is deleted', 'expires'])('C30: ends once the API token of its reader %s', async (ending) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    const cloud = openAt(createStores(1).stores[0]!, () => Date.now())
    const send = (method: string, path: string, body?: object) =>
      cloud.fetch(
        new Request(`http://127.0.0.1${path}`, {
          method,
          headers: { 'content-type': 'application/json' },
          ...(body && { body: JSON.stringify(body) }),
        }),
      )
    const expiresAt = new Date(Date.now() + 32_000).toISOString()
    const wanted = { name: 'ci', may: ['read'], ...(ending === 'expires' && { expiresAt }) }
    const created = await (await send('POST', '/api/tokens', wanted)).json()
    const { token, secret } = created as { token: { id: string }; secret: string }
    const stream = await follow(cloud, { token: secret })
    let hasEnded = false
    const end = stream.next().finally(() => (hasEnded = true))
    await vi.advanceTimersByTimeAsync(31_000)
    expect([stream.status, hasEnded]).toEqual([200, false])
    if (ending === 'is deleted') await send('DELETE', `/api/tokens/${token.id}`)
    await vi.advanceTimersByTimeAsync(11_000)
    expect(await end).toBeUndefined()
    await cloud.close()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('gives what happens in another process, and reset when signals were lost', async () => {
    const { stores, tellAll } = createStores(2)
    const [here, there] = [open(stores[0]!), open(stores[1]!)]
    const unseen = await register(there)
    const stream = await follow(here)
    const deviceId = await register(there)
    expect(unseen).not.toBe(deviceId)
    expect(await stream.next()).toMatchObject({ event: 'device.registered', data: { deviceId } })
    tellAll({ topic: 'missed' })
    expect(await stream.next()).toMatchObject({ event: 'reset' })
    await Promise.all([here.close(), there.close()])
  })
})
