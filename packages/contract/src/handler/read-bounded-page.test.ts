import { expect, it, vi } from 'vitest'
import { readBoundedPage } from './read-bounded-page.ts'

/** A list of `count` rows, numbered from 1. */
function listOf(count: number) {
  return vi.fn(async (limit: number, from = 0) => {
    const rows = Array.from({ length: Math.min(limit, count - from) }, (_, index) => from + index + 1)
    const end = from + rows.length
    return { rows, next: end < count ? end : undefined }
  })
}

it.each([
  ['all of a short list', 5, 100, 1, 5, undefined, 1],
  ['its limit of a long one, in two parts', 500, 120, 1, 120, 120, 2],
  ['nothing of an empty one', 0, 12, 1, 0, undefined, 1],
  ['the part that reaches the bytes', 50, 40, 100, 10, 10, 1],
  ['what there is room for behind the first part', 50, 40, 19, 50, 50, 2],
  ['a row that is too large by itself', 50, 1, 5000, 1, 1, 1],
])('C11: gives %s', async (_, count, limit, size, length, next, parts) => {
  const read = listOf(count)
  const page = await readBoundedPage({ limit, after: undefined, read, sizeOf: () => size, maxBytes: 1000 })
  const given = Math.min(length, limit)
  expect(page.rows).toEqual(Array.from({ length: given }, (__, index) => index + 1))
  expect(page.next).toBe(next === 50 ? given : next)
  expect(read).toHaveBeenCalledTimes(parts)
})

it('goes on where it is told to, and measures rows as JSON', async () => {
  const read = listOf(300)
  const { rows, next } = await readBoundedPage({ limit: 200, after: 100, read, maxBytes: 60 })
  expect(rows[0]).toBe(101)
  expect(rows.length).toBeLessThan(30)
  expect(next).toBe(100 + rows.length)
})
