import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { withTimeout } from './within.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('waits for work, or until its time is over, and leaves no timer behind', async () => {
  await withTimeout(Promise.resolve(), 5000)
  await expect(withTimeout(Promise.reject(new Error('broken')), 5000)).rejects.toThrow('broken')
  expect(vi.getTimerCount()).toBe(0)
  const late = withTimeout(new Promise(() => {}), 5000)
  await vi.advanceTimersByTimeAsync(5000)
  await late
  expect(vi.getTimerCount()).toBe(0)
})
