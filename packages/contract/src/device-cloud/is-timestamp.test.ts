import { expect, it } from 'vitest'
import * as z from 'zod/mini'
import { TimestampParameter } from './list-query.ts'
import { Timestamp } from './text.ts'

const takes = (value: unknown) => z.safeParse(Timestamp, value).success

it.each([
  '2026-01-31T23:59:59.999Z',
  '2026-01-31T23:59:59Z',
  '2026-01-31T23:59Z',
  '2026-01-31T23:59+05:30',
  '2026-01-31T23:59:59.123456789-08:00',
  '2026-01-31T23:59:59',
  '2026-01-31T23:59',
  '2024-02-29T00:00:00Z',
])('takes %s for a timestamp', (value) => {
  expect(takes(value)).toBe(true)
  expect(Date.parse(value)).not.toBeNaN()
})

it.each([
  '2026-01-31',
  '2026-01-31 23:59:59Z',
  '2026-01-31T24:00:00Z',
  '2026-01-31T23:59:60Z',
  '2026-02-29T00:00:00Z',
  '2026-04-31T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-00-01T00:00:00Z',
  '20260131T235959Z',
  '2026-01-31T23:59:59+0530',
  '2026-01-31T23:59:59Z\n',
  'yesterday',
  '',
  1_767_225_600_000,
])('does not take %j for one', (value) => {
  expect(takes(value)).toBe(false)
})

it('takes a moment with its offset only', () => {
  const values = ['2026-01-31T23:59Z', '2026-01-31T23:59:59+01:00', '2026-01-31T23:59:59', '2026-01-31T23:59']
  expect(values.map((value) => z.safeParse(TimestampParameter, value).success)).toEqual([
    true,
    true,
    false,
    false,
  ])
})
