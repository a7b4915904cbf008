import { createMemoryStore } from '@homeward/cloud-core/memory'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createTestCloud } from './test-cloud.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval'] }))
afterEach(() => void vi.useRealTimers())

const week = 7 * 24 * 60 * 60 * 1000

/** A store that writes down what is asked of it. */
function createWatchedStore() {
  const calls: string[] = []
  const store = new Proxy(createMemoryStore(), {
    get(target, name) {
      const verb: unknown = Reflect.get(target, name)
      if (typeof verb !== 'function' || name === 'close') return verb
      return (...input: unknown[]) => {
        calls.push(String(name))
        return verb.apply(target, input) as unknown
      }
    },
  })
  return { store, calls }
}

it('C2, C3, C4, C10: a cloud that nobody asks looks at its store only when devices fall silent or groups expire', async () => {
  const { store, calls } = createWatchedStore()
  await using test = await createTestCloud('memory', { store })
  const { id, headers } = await test.register()
  const beat = { status: 'online', metadata: {} }
  await test.send('POST', '/api/devices/heartbeat', { body: beat, headers })
  const search = { query: 'report', scope: ['files'], deviceIds: [id] }
  await test.send('POST', '/api/devices/search/query', { body: search })
  const upload = { filePath: '/home/a.txt', deviceIds: [id] }
  await test.send('POST', '/api/devices/files/upload-requests', { body: upload })
  await test.send('GET', '/api/devices/search/pending', { headers })

  calls.length = 0
  test.advance(6000)
  await vi.advanceTimersByTimeAsync(6000)
  // C32: the first look at groups; C3: the heartbeat that waited
  expect(calls.toSorted()).toEqual(['expireWork', 'settleGroups', 'writeHeartbeats'])
  calls.length = 0
  // C2: one look at the devices that fell silent, two counts for the share of them, and one look at all.
  for (let minute = 0; minute < 5; minute += 1) {
    test.advance(60_000)
    await vi.advanceTimersByTimeAsync(60_000)
  }
  expect(calls.toSorted()).toEqual(['claimOffline', 'countDevices', 'countDevices', 'listPresence'])
  calls.length = 0
  test.advance(week)
  await vi.advanceTimersByTimeAsync(week)
  expect(calls).toEqual(['expireWork', 'settleGroups']) // C10, C32: the search and its group have expired
  expect(vi.getTimerCount()).toBe(0)

  expect((await test.send('GET', '/api/devices')).body.devices).toMatchObject([{ status: 'offline' }])
  const lists = ['/api/devices/search/query', '/api/devices/files/upload-requests']
  for (const list of lists)
    expect((await test.send('GET', list)).body.results, list).toMatchObject([{ status: 'failed' }])
})
