import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { RuntimeError } from '../ports/runtime-error.ts'
import { numberPositionOf, timePositionOf, toCursor, toPage } from './cursor.ts'

it('gives back any place that it was given, as text that fits into a URL', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), (time, id) => {
      const cursor = toCursor([time, id])
      expect(cursor).toMatch(/^[\w-]+$/)
      expect(timePositionOf({ limit: 1, cursor })).toEqual([time, id])
    }),
  )
  // both characters of base64 that a URL gives another meaning
  const odd = toCursor(['??????', '>>>>>>'])
  expect(odd).toMatch(/^(?=.*-)(?=.*_)[\w-]+$/)
  expect(timePositionOf({ limit: 1, cursor: odd })).toEqual(['??????', '>>>>>>'])
  expect(numberPositionOf({ limit: 1, cursor: toCursor([7]) })).toBe(7)
  expect([timePositionOf({ limit: 1 }), numberPositionOf({ limit: 1 })]).toEqual([undefined, undefined])
})

it('refuses anything else with one error', () => {
  fc.assert(
    fc.property(fc.string(), (cursor) => {
      try {
        expect(numberPositionOf({ limit: 1, cursor })).toBeTypeOf('number')
      } catch (error) {
        expect(RuntimeError.is(error) && error.code).toBe('validation_error')
      }
    }),
  )
  for (const position of [['a', 'b'], [1, 2], ['a'], [1.5], []])
    expect(() => numberPositionOf({ limit: 1, cursor: toCursor(position) })).toThrow(RuntimeError)
  for (const position of [[1], [1, 'b'], ['a', 1], ['a'], ['a', 'b', 'c']])
    expect(() => timePositionOf({ limit: 1, cursor: toCursor(position) })).toThrow(RuntimeError)
})

it('cuts a page, with a cursor only when there is more', () => {
  const cut = (limit: number) =>
    toPage(
      [1, 2, 3, 4],
      limit,
      (row) => row * 10,
      (row) => [row],
    )
  expect(cut(4)).toEqual({ rows: [10, 20, 30, 40] })
  expect(cut(3)).toEqual({ rows: [10, 20, 30], nextCursor: toCursor([3]) })
  expect(cut(2)).toEqual({ rows: [10, 20], nextCursor: toCursor([2]) })
  expect(cut(0)).toEqual({ rows: [] })
})
