import { describe, expect, it } from 'vitest'
import { activityLink, spanOf } from './pulse-series.ts'

const starts = [0, 3_600_000, 7_200_000]

describe('the link from the pulse to the activity', () => {
  it('goes from the begin of the first point to the end of the last one', () => {
    const link = activityLink(starts, spanOf(1, 0))
    expect(Object.fromEntries(new URLSearchParams(link.slice('/runs?'.length)))).toEqual({
      from: '1970-01-01T00:00:00.000Z',
      to: '1970-01-01T02:00:00.000Z',
    })
  })

  it('has no end where the span goes until now', () => {
    expect(activityLink(starts, spanOf(2, 2))).toBe('/runs?from=1970-01-01T02%3A00%3A00.000Z')
  })
})
