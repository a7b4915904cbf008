import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { setConnection } from './connection.ts'
import { startProbe } from './probe.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => {
  vi.useRealTimers()
  setConnection('connecting')
})

it('asks while the server does not answer, more and more rarely, and stops once it does', async () => {
  const ask = vi.fn().mockRejectedValue(new Error('down'))
  const end = startProbe(ask)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(ask).not.toHaveBeenCalled()
  setConnection('offline')
  await vi.advanceTimersByTimeAsync(1000 + 2000 + 4000)
  expect(ask).toHaveBeenCalledTimes(3)
  setConnection('online')
  await vi.advanceTimersByTimeAsync(60_000)
  expect(ask).toHaveBeenCalledTimes(3)
  end()
})

it('asks no more once it was ended, also when an answer comes only then', async () => {
  let fail = (_error: Error) => {}
  const ask = vi.fn(() => new Promise<void>((_resolve, reject) => (fail = reject)))
  setConnection('offline')
  const end = startProbe(ask)
  await vi.advanceTimersByTimeAsync(1000)
  expect(ask).toHaveBeenCalledOnce()
  end()
  fail(new Error('down'))
  await vi.advanceTimersByTimeAsync(60_000)
  expect(ask).toHaveBeenCalledOnce()
  expect(vi.getTimerCount()).toBe(0)
})
