import { expect, it } from 'vitest'
import { toTicks } from './trace/trace-tree.tsx'

it('marks round times, few of them, however long it is', () => {
  expect(toTicks(3300)).toEqual([0, 1000, 2000, 3000])
  for (const lengthMs of [1, 7, 99, 12_345, 86_400_000, 2_000_000_000]) {
    expect(toTicks(lengthMs).length).toBeGreaterThan(1)
    expect(toTicks(lengthMs).length).toBeLessThanOrEqual(8)
  }
})
