import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createAutoResetEvent } from './auto-reset-event.ts'
import { linkSignals, onAbort, untilAborted } from './on-abort.ts'
import { sleep } from './sleep.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

/** Whether a promise has settled by now. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const settled = vi.fn()
  promise.then(settled, settled)
  await vi.advanceTimersByTimeAsync(0)
  return settled.mock.calls.length > 0
}

const never = new Promise<never>(() => {})

describe('sleep', () => {
  it('resolves after its time, and not before', async () => {
    const slept = sleep(1000)
    await vi.advanceTimersByTimeAsync(999)
    expect(await isSettled(slept)).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(await isSettled(slept)).toBe(true)
  })

  it('resolves early when its signal aborts, or has aborted', async () => {
    const stop = new AbortController()
    const slept = sleep(1000, stop.signal)
    stop.abort()
    await slept
    await sleep(1000, stop.signal)
  })

  it('waits by the timers that it is given', async () => {
    const asked: number[] = []
    await sleep(1000, undefined, {
      setTimeout: (run, ms) => (asked.push(ms), run()),
      clearTimeout: () => {},
    })
    expect(asked).toEqual([1000])
  })
})

describe('an auto-reset event', () => {
  it('wakes who waits, and then waits again', async () => {
    const event = createAutoResetEvent()
    const first = event.wait(Infinity)
    event.set()
    await first
    const second = event.wait(50)
    expect(await isSettled(second)).toBe(false)
    await vi.advanceTimersByTimeAsync(50)
    await second
  })

  it('keeps that it was set for the next wait, unless it is reset', async () => {
    const event = createAutoResetEvent()
    event.set()
    event.set()
    await event.wait(Infinity)
    event.set()
    event.reset()
    const stop = new AbortController()
    const waited = event.wait(Infinity, stop.signal)
    expect(await isSettled(waited)).toBe(false)
    stop.abort()
    await waited
  })

  it('holds no timer for a time that none can hold', async () => {
    const stop = new AbortController()
    const waited = createAutoResetEvent().wait(1e12, stop.signal)
    expect(vi.getTimerCount()).toBe(0)
    stop.abort()
    await waited
  })
})

describe('onAbort', () => {
  it('listens for as long as it is wanted', () => {
    const stop = new AbortController()
    const [kept, cancelled] = [vi.fn(), vi.fn()]
    onAbort(stop.signal, kept)
    onAbort(stop.signal, cancelled)()
    stop.abort()
    onAbort(stop.signal, kept)
    expect([kept.mock.calls.length, cancelled.mock.calls.length]).toEqual([1, 0])
  })

  it('leaves no listener behind: a joined signal would never be collected', async () => {
    const { signal } = new AbortController()
    const [add, remove] = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')]
    await untilAborted(Promise.resolve(), signal)
    const slept = sleep(10, signal)
    await vi.advanceTimersByTimeAsync(10)
    await slept
    expect(remove.mock.calls.map((call) => call[1])).toEqual(add.mock.calls.map((call) => call[1]))
    expect(add).toHaveBeenCalledTimes(2)
  })

  it('listens once for all that wait on a shared signal, and calls only those that still do', () => {
    const stop = new AbortController()
    const listen = vi.spyOn(stop.signal, 'addEventListener')
    linkSignals(stop.signal)
    const [first, second, third] = [vi.fn(), vi.fn(), vi.fn()]
    onAbort(stop.signal, () => {
      first()
      forgetThird()
    })
    const forgetSecond = onAbort(stop.signal, second)
    const forgetThird = onAbort(stop.signal, third)
    forgetSecond()
    stop.abort()
    expect(listen).toHaveBeenCalledOnce()
    expect(first).toHaveBeenCalledOnce()
    expect(second).not.toHaveBeenCalled()
    expect(third).not.toHaveBeenCalled()
  })
})

describe('untilAborted', () => {
  it('settles like the work', async () => {
    const { signal } = new AbortController()
    expect(await untilAborted(Promise.resolve(7), signal)).toBe(7)
    await expect(untilAborted(Promise.reject(new Error('broken')), signal)).rejects.toThrow('broken')
    expect(await untilAborted(Promise.resolve(7), undefined)).toBe(7)
  })

  it('rejects with the reason as soon as the signal aborts, or if it has aborted', async () => {
    const stop = new AbortController()
    const abandon = vi.fn()
    const waited = untilAborted(never, stop.signal, abandon)
    stop.abort('stopped')
    await expect(waited).rejects.toBe('stopped')
    expect(abandon).toHaveBeenCalledOnce()
    await expect(untilAborted(Promise.resolve(7), stop.signal)).rejects.toBe('stopped')
  })

  it('drops how work ends that comes too late', async () => {
    const stop = new AbortController()
    const [work, failing] = [Promise.withResolvers<number>(), Promise.withResolvers<number>()]
    const waited = [work, failing].map(({ promise }) => untilAborted(promise, stop.signal))
    stop.abort('stopped')
    work.resolve(7)
    failing.reject(new Error('broken'))
    const stopped = { status: 'rejected', reason: 'stopped' }
    expect(await Promise.allSettled(waited)).toEqual([stopped, stopped])
  })
})
