import { expect, it } from 'vitest'
import { createWindowCounts } from './window-counts.ts'

it('lets as many through as fit into a window, however slowly they come, and then says how long to wait', () => {
  const counts = createWindowCounts(2, 60_000)
  expect([counts.take('a', 0), counts.take('a', 30_000)]).toEqual([0, 0])
  expect(counts.has('a', 59_000)).toBe(false)
  expect(counts.take('a', 59_000)).toBe(1000)
  expect(counts.take('b', 59_000)).toBe(0)
  expect([counts.has('a', 60_000), counts.take('a', 60_000)]).toEqual([true, 0])
})

it('starts again when the clock was put back, and forgets the oldest key at its limit', () => {
  const counts = createWindowCounts(1, 1000, 2)
  counts.take('a', 5000)
  expect(counts.take('a', 1000)).toBe(0)
  counts.take('b', 1000)
  counts.take('c', 1000)
  expect(counts.has('a', 1000)).toBe(true)
})
