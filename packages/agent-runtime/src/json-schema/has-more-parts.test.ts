import { expect, it } from 'vitest'
import { hasMoreParts } from './schema-compiler.ts'

it('counts values at any depth, and long texts by their pieces', () => {
  expect(hasMoreParts(null, 1)).toBe(false)
  expect(hasMoreParts([1, 2, 3], 4)).toBe(false)
  expect(hasMoreParts([1, 2, 3], 3)).toBe(true)
  expect(hasMoreParts({ a: { b: [null, null] } }, 5)).toBe(false)
  expect(hasMoreParts({ a: { b: [null, null] } }, 4)).toBe(true)
  expect(hasMoreParts('x'.repeat(640), 11)).toBe(false)
  expect(hasMoreParts('x'.repeat(640), 10)).toBe(true)
})
