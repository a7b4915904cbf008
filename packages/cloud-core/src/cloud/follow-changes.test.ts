import { platformTimers } from '@homeward/kit'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createCloudMeters } from '../metrics/cloud-meters.ts'
import { createKeyCache } from '../devices/key-cache.ts'
import { createMemoryStore } from '../memory/index.ts'
import type { CloudSignal } from '../ports/cloud-signal.ts'
import { deviceOf } from '../testing/store-harness.ts'
import { createTokenCache } from '../tokens/token-cache.ts'
import { createEventStreams } from '../events/event-streams.ts'
import { followChanges } from './follow-changes.ts'
import { createLongPolls } from '../delivery/long-polls.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Polls and keys that follow a storage which another process changes. */
function follow() {
  const listeners = new Set<(signal: CloudSignal) => void>()
  const subscribe = (listener: (signal: CloudSignal) => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  const parts = {
    store: { ...createMemoryStore(), subscribe },
    polls: createLongPolls(),
    meters: createCloudMeters(undefined, Date.now),
    keys: createKeyCache(() => 0.5),
    tokens: createTokenCache(),
    groupWork: { start() {}, wake: vi.fn(), finishRemoval: async () => {}, close: async () => {} },
    eventStreams: createEventStreams({
      store: {},
      now: Date.now,
      timers: platformTimers,
      createName: () => 'feed',
    }),
  }
  const end = followChanges(parts)
  const tell = (signal: CloudSignal) => {
    for (const listener of listeners) listener(signal)
  }
  return { ...parts, end, tell, listeners }
}

it('C22: wakes the polls of devices that have work, and no others', async () => {
  const { polls, tell } = follow()
  const work: string[] = []
  const hold = (id: string) =>
    polls.hold(id, 60_000, new AbortController().signal, async () => work.filter((each) => each === id))
  const [mine, other] = [hold('d1'), hold('d2')]
  await vi.advanceTimersByTimeAsync(1000)
  work.push('d1', 'd2')
  tell({ topic: 'work', deviceIds: ['d1'] })
  expect(await mine).toEqual(['d1'])
  const settled = vi.fn()
  void other.then(settled)
  await vi.advanceTimersByTimeAsync(1000)
  expect(settled).not.toHaveBeenCalled()
  polls.close()
  await other
})

it('lets everybody look when signals may have been lost: thousands of polls, some at a time', async () => {
  const { polls, keys, tell } = follow()
  let reads = 0
  let work: string[] = []
  const held = Array.from({ length: 2500 }, (_, index) =>
    polls.hold(`d${index}`, 60_000, new AbortController().signal, async () => {
      reads += 1
      return work
    }),
  )
  keys.set('h', deviceOf('d1'), 'current', 0)
  await vi.advanceTimersByTimeAsync(0)
  work = ['w']
  tell({ topic: 'missed' })
  tell({ topic: 'missed' })
  expect(keys.get('h', 1)).toBeUndefined()
  expect(keys.wasKnown('h')).toBe(true)
  await vi.advanceTimersByTimeAsync(0)
  expect(reads).toBe(2500 + 1000)
  await vi.advanceTimersByTimeAsync(20)
  expect(await Promise.all(held)).toHaveLength(2500)
  expect(reads).toBe(5000)
  expect(vi.getTimerCount()).toBe(0)
})

it('C15: forgets keys that ended elsewhere', () => {
  const { keys, tell } = follow()
  keys.set('old', deviceOf('d1'), 'previous', 0)
  keys.set('new', deviceOf('d1'), 'current', 0)
  tell({ topic: 'keys', hashes: ['old'] })
  expect([keys.get('old', 1), keys.get('new', 1)?.id]).toEqual([undefined, 'd1'])
})

it('ends with the cloud', () => {
  const { end, listeners, polls, tell } = follow()
  tell({ topic: 'missed' })
  polls.close()
  end()
  expect([listeners.size, vi.getTimerCount()]).toEqual([0, 0])
})
