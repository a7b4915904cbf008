import { expect, it } from 'vitest'
import { parseRetryAfter } from './retry-after.ts'

const nowMs = Date.parse('2026-11-25T10:00:00Z')
const dayMs = 86_400_000

it.each([
  ['7', 7000],
  [' 7 ', 7000],
  ['0', 0],
  ['0.65', 650],
  ['0.0001', 1],
  ['Wed, 25 Nov 2026 10:00:30 GMT', 30_000],
  ['Wednesday, 25-Nov-26 10:00:30 GMT', 30_000],
  ['Wed Nov 25 10:00:30 2026', 30_000],
  ['Wed, 25 Nov 2026 09:00:00 GMT', 0],
  ['999999999999', dayMs],
  ['Fri, 01 Jan 2100 00:00:00 GMT', dayMs],
])('reads "%s" as %i ms', (header, ms) => {
  expect(parseRetryAfter(header, nowMs)).toBe(ms)
})

it.each([
  null,
  undefined,
  '',
  ' ',
  '-1',
  '1e3',
  '0x10',
  'soon',
  '2026-11-26',
  'Monkey',
  'Infinity',
  '1.',
  '.5',
])('finds nothing to read in %s', (header) => {
  expect(parseRetryAfter(header, nowMs)).toBeUndefined()
})

it('cuts to the limit that it is given', () => {
  expect(parseRetryAfter('7200', nowMs, 3_600_000)).toBe(3_600_000)
  expect(parseRetryAfter('7200', nowMs, Infinity)).toBe(7_200_000)
})
