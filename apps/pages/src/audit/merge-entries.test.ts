import { expect, it, vi } from 'vitest'
import { mergeEntries } from './merge-entries.ts'

const rowsAt = (...times: number[]) => times.map((time) => ({ at: `2026-01-0${time}` }))

it('merges entries by time, and holds back those that older ones of another list may precede', () => {
  const loadMore = vi.fn()
  const one = { rows: rowsAt(9, 6), loadMore }
  const other = { rows: rowsAt(8, 3, 1), loadMore: undefined }
  const merged = mergeEntries([one, other])
  expect(merged.rows).toEqual(rowsAt(9, 8, 6))
  merged.loadMore?.()
  expect(loadMore).toHaveBeenCalledOnce()
  const whole = mergeEntries([{ rows: rowsAt(9, 6, 2), loadMore: undefined }, other])
  expect(whole).toEqual({ rows: rowsAt(9, 8, 6, 3, 2, 1), loadMore: undefined })
  expect(mergeEntries([one, { rows: undefined, loadMore: undefined }]).rows).toBeUndefined()
})
