import { describe, expect, it } from 'vitest'
import { nextLocalTime } from './cron-times.ts'
import { createCronReader } from './read-cron.ts'

const reader = await createCronReader()

function timesOf(expression: string) {
  const times = reader.read(expression)
  if ('problem' in times) throw new Error(`${expression} ${times.problem}`)
  return times
}

const day = (text: string) => new Date(`${text}Z`).getTime()

/** Times behind one, in the shortest form. */
function following(expression: string, after: string, count = 3): string[] {
  const found: string[] = []
  let at: number | undefined = day(after)
  while (found.length < count && at !== undefined) {
    at = nextLocalTime(timesOf(expression), at)
    if (at !== undefined) found.push(new Date(at).toISOString().replace(/(?:T00:00:00|:00)?\.000Z$/, ''))
  }
  return found
}

describe('the time of day', () => {
  it.each([
    // the very time is not behind itself, its last millisecond before is
    ['0 9 * * *', '2026-01-01T08:59:59.999', ['2026-01-01T09:00', '2026-01-02T09:00']],
    ['0 9 * * *', '2026-01-01T09:00:00.000', ['2026-01-02T09:00']],
    ['0 9 * * *', '2026-01-01T09:00:00.001', ['2026-01-02T09:00']],
    // the second is over, then the minute, then the hour
    ['20,40 10,30 6,18 * * *', '2026-01-01T06:10:19', ['2026-01-01T06:10:20', '2026-01-01T06:10:40']],
    ['20,40 10,30 6,18 * * *', '2026-01-01T06:10:40', ['2026-01-01T06:30:20', '2026-01-01T06:30:40']],
    ['20,40 10,30 6,18 * * *', '2026-01-01T06:30:40', ['2026-01-01T18:10:20', '2026-01-01T18:10:40']],
    ['20,40 10,30 6,18 * * *', '2026-01-01T06:11:30', ['2026-01-01T06:30:20']],
    ['20,40 10,30 6,18 * * *', '2026-01-01T07:30:30', ['2026-01-01T18:10:20']],
    ['20,40 10,30 6,18 * * *', '2026-01-01T18:30:40', ['2026-01-02T06:10:20']],
    ['20,40 10,30 6,18 * * *', '2026-01-01T23:59:59', ['2026-01-02T06:10:20']],
    ['* * * * * *', '2026-01-01T23:59:58', ['2026-01-01T23:59:59', '2026-01-02', '2026-01-02T00:00:01']],
    ['59 59 23 * * *', '2026-01-01T23:59:58', ['2026-01-01T23:59:59', '2026-01-02T23:59:59']],
    ['0 0 0 * * *', '2026-01-01T00:00:00', ['2026-01-02']],
    ['0 0 * * *', '1969-12-30T23:59:59', ['1969-12-31', '1970-01-01', '1970-01-02']],
  ])('of "%s" behind %s', (expression, after, expected) => {
    expect(following(expression, after, expected.length)).toEqual(expected)
  })
})

describe('the day', () => {
  it.each([
    ['0 0 1,31 * *', '2026-01-01', ['2026-01-31', '2026-02-01', '2026-03-01', '2026-03-31']],
    ['0 0 L * *', '2026-01-30', ['2026-01-31', '2026-02-28', '2026-03-31', '2026-04-30']],
    ['0 0 15,L 2 *', '2027-02-15', ['2027-02-28', '2028-02-15', '2028-02-29']],
    // either of the two, when both are given
    ['0 0 13 * 5', '2026-02-06', ['2026-02-13', '2026-02-20', '2026-02-27', '2026-03-06', '2026-03-13']],
    ['0 0 10 * 5', '2026-02-06', ['2026-02-10', '2026-02-13']],
    ['0 0 ? * 5', '2026-02-06', ['2026-02-13', '2026-02-20']],
    ['0 0 13 * ?', '2026-02-06', ['2026-02-13', '2026-03-13']],
    // the first, the second and the fifth of a day of the week: 1 June 2026 is a Monday
    ['0 0 * * 1#1', '2026-05-31', ['2026-06-01', '2026-07-06', '2026-08-03']],
    ['0 0 * * 1#2', '2026-05-31', ['2026-06-08', '2026-07-13']],
    ['0 0 * * 1#5', '2026-05-31', ['2026-06-29', '2026-08-31']],
    ['0 0 * * 0#1', '2026-05-31', ['2026-06-07', '2026-07-05']],
    // the last one: in a month of 28 days, 30 and 31
    ['0 0 * * 6L', '2026-02-01', ['2026-02-28', '2026-03-28', '2026-04-25', '2026-05-30']],
    ['0 0 * * 0L', '2026-02-01', ['2026-02-22', '2026-03-29']],
    ['0 0 * 3,12 1', '2026-03-24', ['2026-03-30', '2026-12-07']],
    ['0 12 * 3 *', '2026-01-15', ['2026-03-01T12:00', '2026-03-02T12:00']],
    ['0 0 1 1 *', '2026-01-01', ['2027-01-01', '2028-01-01']],
    ['0 0 31 12 *', '2026-12-31', ['2027-12-31']],
    ['0 0 29 2 *', '2096-02-29', ['2104-02-29']],
    ['30 4 31 12 *', '2026-12-31T04:29:59', ['2026-12-31T04:30', '2027-12-31T04:30']],
    // the longest time between two
    ['0 0 ? 2 1#5', '2072-02-29', ['2112-02-29']],
  ])('of "%s" behind %s', (expression, after, expected) => {
    expect(following(expression, after, expected.length)).toEqual(expected)
  })
})

it('an expression that never comes gives nothing', () => {
  const never = { ...timesOf('0 0 1 1 *'), daysOfMonth: '0'.repeat(32) }
  expect(nextLocalTime(never, day('2026-01-01'))).toBeUndefined()
})
