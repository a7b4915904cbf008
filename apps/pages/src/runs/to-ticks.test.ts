import { expect, it } from 'vitest'
import { toTicks } from './trace/trace-tree.tsx'

it('marks round times, few of them, however long it is', () => {
  expect(toTicks(3300, 6)).toEqual([0, 1000, 2000, 3000])
  for (const lengthMs of [1, 7, 99, 12_345, 86_400_000, 2_000_000_000]) {
    expect(toTicks(lengthMs, 6).length).toBeGreaterThan(1)
    expect(toTicks(lengthMs, 6).length).toBeLessThanOrEqual(8)
  }
})

it('marks no more than fit, in steps that people count time by', () => {
  const [minuteMs, hourMs] = [60_000, 3_600_000]
  expect(toTicks(20 * minuteMs, 4)).toEqual([0, 5, 10, 15, 20].map((count) => count * minuteMs))
  expect(toTicks(20 * minuteMs, 2)).toEqual([0, 10, 20].map((count) => count * minuteMs))
  expect(toTicks(5 * hourMs, 3)).toEqual([0, 2, 4].map((count) => count * hourMs))
  expect(toTicks(70_000, 0)).toEqual([0])
})
