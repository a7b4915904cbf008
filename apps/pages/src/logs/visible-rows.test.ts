import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { indexOfSeq, visibleRows } from './visible-rows.ts'

describe('visibleRows', () => {
  it('renders what is in sight and a few more, however long the list is', () => {
    expect(visibleRows({ count: 100_000, rowHeight: 30, scrollTop: 30_000, height: 600 })).toEqual({
      first: 990,
      end: 1030,
    })
  })

  it('holds every row in sight, and never more than there are', () => {
    const number = (max: number) => fc.integer({ min: 0, max })
    fc.assert(
      fc.property(number(1000), number(40_000), number(2000), (count, scrollTop, height) => {
        const { first, end } = visibleRows({ count, rowHeight: 30, scrollTop, height })
        expect(0 <= first && first <= end && end <= count).toBe(true)
        for (let row = 0; row < count; row += 1) {
          const isInSight = (row + 1) * 30 > scrollTop && row * 30 < scrollTop + height
          if (isInSight) expect(first <= row && row < end).toBe(true)
        }
      }),
    )
  })
})

describe('indexOfSeq', () => {
  it('finds an event, or the place where it would be', () => {
    const events = [2, 5, 9].map((seq) => ({ seq }))
    expect([1, 2, 3, 5, 9, 10].map((seq) => indexOfSeq(events, seq))).toEqual([0, 0, 1, 1, 2, 3])
  })
})
