import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { RuntimeError } from '../ports/runtime-error.ts'
import { whileStoreFails } from './while-store-fails.ts'

beforeEach(() => void vi.useFakeTimers({ now: 0 }))
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

const passing = (message = 'another process holds it') =>
  new RuntimeError('storage_error', `Writing failed: ${message}.`, { retryable: true })

/** Work that fails as it is told to, or for good; when it was tried, and what was said of that. */
function start({ failures = [], random = 1, signal }: StartOptions = {}) {
  const triedAt: number[] = []
  const warn = vi.fn()
  const work = async () => {
    triedAt.push(Date.now())
    const { [triedAt.length - 1]: failure } = failures
    if (failure) throw failure
    return 'done'
  }
  const result = whileStoreFails({ logger: { warn, error() {} }, random: () => random }, work, signal)
  result.catch(() => {})
  return { result, triedAt, warn }
}

interface StartOptions {
  readonly failures?: readonly Error[]
  readonly random?: number
  readonly signal?: AbortSignal
}

it('does it once, and says nothing, when the store does not fail', async () => {
  const { result, triedAt, warn } = start()
  expect(await result).toBe('done')
  expect(triedAt).toEqual([0])
  expect(warn).not.toHaveBeenCalled()
})

it('does it again until the store does not fail, and says each time why', async () => {
  const { result, triedAt, warn } = start({ failures: [passing(), passing('the disk is full')] })
  await vi.advanceTimersByTimeAsync(10_000)
  expect(await result).toBe('done')
  expect(triedAt).toHaveLength(3)
  expect(warn.mock.calls.map(([, details]) => details)).toEqual([
    { reason: 'Writing failed: another process holds it.' },
    { reason: 'Writing failed: the disk is full.' },
  ])
})

it.each([
  { random: 0, times: [0, 50, 150, 350, 750, 1550, 3150] },
  { random: 1, times: [0, 100, 300, 700, 1500, 3100, 6300] },
])(
  'gives up after three to six seconds, with the last failure (random $random)',
  async ({ random, times }) => {
    const failures = times.map((time) => passing(`at ${time}`))
    const { result, triedAt } = start({ failures: [...failures, passing('too often')], random })
    await vi.advanceTimersByTimeAsync(60_000)
    await expect(result).rejects.toBe(failures.at(-1))
    expect(triedAt).toEqual(times)
  },
)

it.each([
  new RuntimeError('storage_error', 'Writing failed: it is damaged.'),
  new RuntimeError('model_error', 'Asking failed: too many requests.', { retryable: true }),
  new Error('The connection broke'),
])('fails at once with what does not pass, or is not the store: %s', async (failure) => {
  const { result, triedAt, warn } = start({ failures: [failure] })
  await expect(result).rejects.toBe(failure)
  expect(triedAt).toEqual([0])
  expect(warn).not.toHaveBeenCalled()
})

it('ends with its signal in a pause, with what the store failed with', async () => {
  const stop = new AbortController()
  const failure = passing()
  const { result, triedAt } = start({ failures: [failure], signal: stop.signal })
  await vi.advanceTimersByTimeAsync(99)
  stop.abort(new Error('shut down'))
  await expect(result).rejects.toBe(failure)
  expect(triedAt).toEqual([0])
})

it('tries once, without a pause and a word, when its signal has aborted before', async () => {
  const failure = passing()
  const { result, triedAt, warn } = start({ failures: [failure], signal: AbortSignal.abort() })
  await expect(result).rejects.toBe(failure)
  expect(triedAt).toEqual([0])
  expect(warn).not.toHaveBeenCalled()
})
