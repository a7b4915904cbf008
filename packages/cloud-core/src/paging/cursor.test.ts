import { HttpError } from '@homeward/contract/handler'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { nextCursorOf, parseCursor, toCursor, toPageRequest } from './cursor.ts'

const place = { createdAt: '2026-01-01T00:00:00.000Z', id: 'd1' }
const encode = (value: unknown) => btoa(JSON.stringify(value))

it('C11: gives back any place that it was given, as text that fits into a URL', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), (createdAt, id) => {
      const cursor = toCursor({ createdAt, id })
      expect(cursor).toMatch(/^[\w-]+$/)
      expect(parseCursor(cursor)).toEqual({ createdAt, id })
    }),
    // of what they are written in, these have the two letters of base64 that are not for URLs
    { examples: [['~~~~', '????']] },
  )
})

it('C11: refuses anything else with one error', () => {
  const wrong = [
    [],
    ['a'],
    ['a', 'b', 'c'],
    ['a', 1],
    [1, 'b'],
    [null, null],
    { 0: 'a', 1: 'b', length: 2 },
    'ab',
    7,
    null,
  ]
  for (const cursor of ['', '%', 'null', ...wrong.map(encode)]) {
    expect(() => parseCursor(cursor), cursor).toThrow(
      expect.objectContaining({
        status: 400,
        body: expect.objectContaining({ message: expect.stringMatching(/^cursor: /) }),
      }),
    )
  }
  fc.assert(
    fc.property(fc.string(), (cursor) => {
      try {
        expect(parseCursor(cursor)).toEqual({ createdAt: expect.any(String), id: expect.any(String) })
      } catch (error) {
        expect(error).toBeInstanceOf(HttpError)
      }
    }),
  )
})

it('C11: begins where a query says, with its limit or that of the list', () => {
  expect(toPageRequest({}, 100)).toStrictEqual({ limit: 100 })
  expect(toPageRequest({ limit: 7, cursor: toCursor(place) }, 100)).toEqual({ limit: 7, after: place })
})

it('C11: gives a cursor only when there is more', () => {
  expect(nextCursorOf({})).toStrictEqual({})
  expect(nextCursorOf({ next: place })).toEqual({ nextCursor: toCursor(place) })
})
