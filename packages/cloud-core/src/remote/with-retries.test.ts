import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { isTransientStatus, RemoteFailure } from './remote-failure.ts'
import { withRetries } from './with-retries.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

const policy = { attempts: 4, firstDelayMs: 1000, random: () => 0.5 }
const { signal: open } = new AbortController()

/** Calls a service that fails like this, one after the other, and then answers. Gives when it was asked, and the end. */
async function ask(failures: readonly unknown[], changes: Partial<typeof policy> = {}) {
  const startedAt = Date.now()
  const askedAt: number[] = []
  const left = [...failures]
  const ended = withRetries({ ...policy, ...changes }, open, async () => {
    askedAt.push(Date.now() - startedAt)
    if (left.length > 0) throw left.shift()
    return 'an answer'
  }).catch((error: unknown) => error)
  await vi.runAllTimersAsync()
  return { askedAt, end: await ended }
}
const busy = (retryAfterMs?: number) => new RemoteFailure('busy', { status: 503, retryAfterMs })

describe('Back-off: a request to another service', () => {
  it('is sent again behind pauses that double, up to 20 s', async () => {
    const { askedAt, end } = await ask(
      Array.from({ length: 7 }, () => busy()),
      { attempts: 8 },
    )
    expect(askedAt).toEqual([0, 1000, 3000, 7000, 15_000, 31_000, 51_000, 71_000])
    expect(end).toBe('an answer')
  })

  it('spreads its pauses from half of them to one and a half, behind the limit', async () => {
    const pauses = [0, 1].map(async (random) => {
      const { askedAt } = await ask([busy()], { random: () => random, firstDelayMs: 50_000 })
      return askedAt.at(-1)
    })
    expect(await Promise.all(pauses)).toEqual([10_000, 30_000])
  })

  it('is given up with the last failure when it was sent as often as it may be', async () => {
    const failures = Array.from({ length: 5 }, () => busy())
    const { askedAt, end } = await ask(failures)
    expect(askedAt).toHaveLength(4)
    expect(end).toBe(failures[3])
  })

  it.each([
    ['is about the request', new RemoteFailure('no such bucket', { status: 404 })],
    ['is no answer of the service', new TypeError('of our own')],
    ['asks for more than a minute', busy(60_001)],
  ])('is not sent again when its failure %s', async (_, failure) => {
    const { askedAt, end } = await ask([failure])
    expect(askedAt).toEqual([0])
    expect(end).toBe(failure)
  })

  it('waits as long as the service asks for, no shorter than its own pause, and not all to the same moment', async () => {
    const times = async (retryAfterMs: number, random: number) =>
      (await ask([busy(retryAfterMs)], { random: () => random })).askedAt[1]
    expect([await times(60_000, 0), await times(60_000, 1)]).toEqual([60_000, 75_000])
    expect([await times(400, 0), await times(400, 1)]).toEqual([1000, 1250])
  })

  it('ends with the reason of its signal, while it runs and while it waits', async () => {
    for (const waits of [false, true]) {
      const stop = new AbortController()
      let asked = 0
      const ended = withRetries(policy, stop.signal, async () => {
        asked += 1
        if (waits) throw busy()
        stop.abort(new Error('closing'))
        throw new TypeError('what the request makes of it')
      }).catch((error: unknown) => error)
      await vi.advanceTimersByTimeAsync(500)
      stop.abort(new Error('closing'))
      expect(await ended).toEqual(new Error('closing'))
      await vi.advanceTimersByTimeAsync(60_000)
      expect(asked).toBe(1)
    }
  })
})

it.each([
  [undefined, true],
  [400, false],
  [404, false],
  [408, true],
  [409, false],
  [429, true],
  [499, false],
  [500, true],
  [503, true],
])('takes the status %s for a failure of the moment: %s', (status, isTransient) => {
  expect(isTransientStatus(status)).toBe(isTransient)
  expect(new RemoteFailure('no', status === undefined ? {} : { status }).transient).toBe(isTransient)
  expect(new RemoteFailure('no', { status: 500, transient: false }).transient).toBe(false)
})
