import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { silentLogger } from '../../ports/logger.ts'
import type { Channel } from '../../ports/channel.ts'
import { toAccessPolicy } from '../access/access-policy.ts'
import { createPoller } from './create-poller.ts'
import { createTestChannel } from '../testing/test-channel.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function pollerOf(poll: NonNullable<Channel['poll']>) {
  const channel = createTestChannel({ poll })
  const active = { channel, agentId: 'parrot', source: 'test:host', policy: toAccessPolicy(channel, {}) }
  const released: string[] = []
  const poller = createPoller(
    {
      store: {
        claimPolling: async () => ({}),
        releasePolling: async (source) => void released.push(source),
      },
      set: { current: async () => new Map([['test', active]]), isKnown: () => true },
      inbox: { accept: async () => [] },
      rate: async () => {},
      leases: {
        owner: 'me',
        leaseMs: 20_000,
        lease: () => ({ owner: 'me', until: new Date(Date.now() + 20_000).toISOString() }),
      },
      logger: silentLogger,
      now: Date.now,
    },
    active,
  )
  return { poller, released }
}

it('A1: a channel that does not stop asking is left after five seconds, and its source given back', async () => {
  const { poller, released } = pollerOf(() => new Promise(() => {}))
  const stop = new AbortController()
  let isOver = false
  const running = poller.run(stop.signal).then(() => (isOver = true))
  await vi.advanceTimersByTimeAsync(60_000)
  stop.abort()
  await vi.advanceTimersByTimeAsync(4900)
  expect([isOver, released]).toEqual([false, []])
  await vi.advanceTimersByTimeAsync(200)
  await running
  expect(released).toEqual(['test:host'])
  expect(vi.getTimerCount()).toBe(0)
})

it('A1: a channel that stops at once is waited for, and leaves no timer behind', async () => {
  const { poller, released } = pollerOf(
    ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
  )
  const stop = new AbortController()
  const running = poller.run(stop.signal)
  await vi.advanceTimersByTimeAsync(60_000)
  stop.abort()
  await running
  expect(released).toEqual(['test:host'])
  expect(vi.getTimerCount()).toBe(0)
})
