import { expect, it, vi } from 'vitest'
import type { PageRequest } from '../ports/page.ts'
import { readPage } from './read-page.ts'

/** A list of `count` rows, numbered from 1. */
function listOf(count: number) {
  return vi.fn(async ({ limit, after }: PageRequest) => {
    const from = Number(after?.id ?? 0)
    const rows = Array.from({ length: Math.min(limit, count - from) }, (_, index) => from + index + 1)
    const end = from + rows.length
    return { rows, ...(end < count && { next: { createdAt: '', id: String(end) } }) }
  })
}

it.each([
  ['all of a short list', 5, 100, 1, 5, undefined],
  ['its limit of a long one', 50, 12, 1, 12, '12'],
  ['nothing of an empty one', 0, 12, 1, 0, undefined],
  ['the step that reaches the bytes', 50, 40, 30, 10, '10'],
  ['a row that is too large by itself', 50, 1, 1000, 1, '1'],
])('C11: gives %s', async (_, count, limit, size, length, next) => {
  const read = listOf(count)
  const page = await readPage({ limit }, { read, sizeOf: () => size, step: 5, maxBytes: 200 })
  expect(page.rows).toEqual(Array.from({ length }, (__, index) => index + 1))
  expect(page.next?.id).toBe(next)
  expect(Math.max(...read.mock.calls.map(([part]) => part.limit))).toBeLessThanOrEqual(5)
})
