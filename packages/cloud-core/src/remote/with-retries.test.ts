import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { RemoteFailure } from './remote-failure.ts'
import { withRetries } from './with-retries.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** How long a request takes that fails once with this, and then succeeds. */
async function timeOf(failure: RemoteFailure, spread: number): Promise<number> {
  const startedAt = Date.now()
  const request = vi.fn<() => Promise<number>>(async () => Date.now()).mockRejectedValueOnce(failure)
  const policy = { attempts: 2, firstDelayMs: 400, random: () => spread }
  const ended = withRetries(policy, new AbortController().signal, request)
  await vi.advanceTimersByTimeAsync(120_000)
  expect(request).toHaveBeenCalledTimes(2)
  return (await ended) - startedAt
}

const busy = (retryAfterMs?: number) => new RemoteFailure('busy', { status: 503, retryAfterMs })

describe('a request that is sent again', () => {
  it('goes out half a pause to one and a half after the failure', async () => {
    expect([await timeOf(busy(), 0), await timeOf(busy(), 1)]).toEqual([200, 600])
  })

  it('is never sooner than the service asked for, and not at the same moment in all processes', async () => {
    expect([await timeOf(busy(8000), 0), await timeOf(busy(8000), 0.5)]).toEqual([8000, 9000])
  })

  it('waits its own pause when the service asks for less', async () => {
    expect(await timeOf(busy(0), 0)).toBe(400)
  })

  it('is not sent when the service asks for more than a minute', async () => {
    const request = vi.fn<() => Promise<void>>().mockRejectedValue(busy(60_001))
    const policy = { attempts: 5, firstDelayMs: 1, random: () => 0 }
    const ended = withRetries(policy, new AbortController().signal, request)
    await expect(ended).rejects.toMatchObject({ retryAfterMs: 60_001 })
    expect(request).toHaveBeenCalledTimes(1)
  })

  it('stops waiting when its signal aborts, and leaves no timer behind', async () => {
    const request = vi.fn<() => Promise<void>>().mockRejectedValue(busy(8000))
    const caller = new AbortController()
    const ended = withRetries({ attempts: 5, firstDelayMs: 1, random: () => 0 }, caller.signal, request)
    await vi.advanceTimersByTimeAsync(10)
    caller.abort(new Error('given up'))
    await expect(ended).rejects.toThrow('given up')
    expect(vi.getTimerCount()).toBe(0)
  })
})
