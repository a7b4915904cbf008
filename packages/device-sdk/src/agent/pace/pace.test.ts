import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createPace } from './pace.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

const { signal } = new AbortController()
const hour = 3_600_000

it('C12: never lets two turns be closer than the spacing, also when the process was busy', async () => {
  let clockMs = 0
  const pace = createPace(200, () => clockMs)
  const turns: number[] = []
  const all = Promise.all(Array.from({ length: 6 }, () => pace(signal).then(() => turns.push(clockMs))))
  await vi.advanceTimersByTimeAsync(0)
  // The timer of the second turn fires a second late.
  clockMs = 1200
  for (let step = 0; step < 6; step += 1) {
    await vi.advanceTimersByTimeAsync(200)
    clockMs += 200
  }
  await all
  expect(turns).toHaveLength(6)
  const gaps = turns.slice(1).map((atMs, index) => atMs - turns[index]!)
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(200)
})

it('C12: waits no longer than the spacing when the clock was set back', async () => {
  let clockMs = 10 * hour
  const pace = createPace(200, () => clockMs)
  await pace(signal)
  clockMs -= hour
  const turn = vi.fn()
  void pace(signal).then(turn)
  await vi.advanceTimersByTimeAsync(200)
  expect(turn).toHaveBeenCalledOnce()
})

it('C12: waits only for what is left of the spacing, and for nothing behind it', async () => {
  let clockMs = 0
  const pace = createPace(200, () => clockMs)
  await pace(signal)
  clockMs = 150
  const turn = vi.fn()
  void pace(signal).then(turn)
  await vi.advanceTimersByTimeAsync(49)
  expect(turn).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(turn).toHaveBeenCalledOnce()
  clockMs = 350
  await pace(signal)
})
