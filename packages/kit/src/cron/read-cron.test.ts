import { describe, expect, it } from 'vitest'
import { nextLocalTime } from './cron-times.ts'
import { createCronReader } from './read-cron.ts'

const reader = await createCronReader()

/** The first time behind the start of 2026, on a Thursday. */
function firstOf(expression: string): string | undefined {
  const times = reader.read(expression)
  if ('problem' in times) throw new Error(`${expression} ${times.problem}`)
  const next = nextLocalTime(times, Date.UTC(2026, 0))
  return next === undefined ? undefined : new Date(next).toISOString()
}

describe('a cron expression', () => {
  it.each([
    ['', 'must have 5 fields, or 6 with seconds first, got 0'],
    ['* * * *', 'must have 5 fields, or 6 with seconds first, got 4'],
    ['0 0 * * * * *', 'must have 5 fields, or 6 with seconds first, got 7'],
    ['60 * * * *', 'cannot be read'],
    ['a b c d e', 'cannot be read'],
    ['H * * * *', 'contains "H", a random value'],
    ['0 1,H(2-3) * * *', 'contains "1,H(2-3)", a random value'],
    ['@reboot', 'must be one of @yearly'],
    ['@', 'must be one of @yearly'],
    ['0 0 31 4 *', 'cannot be read'],
    ['0 0 30 2 *', 'cannot be read'],
    ['*/0 * * * *', 'cannot be read'],
    ['1-70 * * * *', 'cannot be read'],
    [
      '0 9 * * ? *',
      'has "?" in field 5. "?" is for the day of the month and the day of the week only. Six fields',
    ],
    ['15 10 * * ? *', 'Six fields begin with the seconds'],
    ['0 18 ? * 2-6 *', 'has "?" in field 3'],
    ['0 ? * * *', 'has "?" in field 2. "?" is for the day of the month and the day of the week only'],
  ])('"%s" is refused: it %s', (expression, problem) => {
    expect(reader.read(expression)).toEqual({ problem: expect.stringContaining(problem) })
  })

  it.each([
    ['@yearly', '2027-01-01T00:00:00.000Z'],
    ['@annually', '2027-01-01T00:00:00.000Z'],
    ['@monthly', '2026-02-01T00:00:00.000Z'],
    ['@weekly', '2026-01-04T00:00:00.000Z'],
    ['@daily', '2026-01-02T00:00:00.000Z'],
    ['@midnight', '2026-01-02T00:00:00.000Z'],
    ['@weekdays', '2026-01-02T00:00:00.000Z'],
    ['@weekends', '2026-01-03T00:00:00.000Z'],
    ['@hourly', '2026-01-01T01:00:00.000Z'],
    ['@minutely', '2026-01-01T00:01:00.000Z'],
    ['@secondly', '2026-01-01T00:00:01.000Z'],
    ['  0   9 * * *  ', '2026-01-01T09:00:00.000Z'],
    ['59 23 * * *', '2026-01-01T23:59:00.000Z'],
    ['59 59 23 31 12 *', '2026-12-31T23:59:59.000Z'],
    ['*/10 * * * * *', '2026-01-01T00:00:10.000Z'],
    ['0 0 29 2 *', '2028-02-29T00:00:00.000Z'],
    ['0 0 ? 2 1#5', '2044-02-29T00:00:00.000Z'],
    ['0 0 9 ? * 2-6', '2026-01-01T09:00:00.000Z'],
    ['0 0 12 * * ?', '2026-01-01T12:00:00.000Z'],
    ['0 0 * * MON', '2026-01-05T00:00:00.000Z'],
    ['0 0 * * THU', '2026-01-08T00:00:00.000Z'],
    ['0 0 * MAR *', '2026-03-01T00:00:00.000Z'],
    ['0 0 L * *', '2026-01-31T00:00:00.000Z'],
    ['0 0 * * 0L', '2026-01-25T00:00:00.000Z'],
    ['0 0 * * 7L', '2026-01-25T00:00:00.000Z'],
    ['0 0 * * 6L', '2026-01-31T00:00:00.000Z'],
  ])('"%s" comes first at %s', (expression, time) => {
    expect(firstOf(expression)).toBe(time)
  })

  it.each([
    ['0 0 * * FRI-SUN', '0 0 * * 5-7'],
    ['0 0 * * SAT-SUN', '0 0 * * 6,0'],
    ['0 0 * * thu-sun', '0 0 * * 4-7'],
    ['0 0 * * 5-SUN', '0 0 * * 5-7'],
    ['0 0 * * MON,WED-SUN/2', '0 0 * * 1,3-7/2'],
    ['0 0 0 * * TUE-SUN', '0 0 0 * * 2-7'],
    ['0 0 * * MON-SUN', '0 0 * * *'],
    ['0 0 * * SUN-TUE', '0 0 * * 0-2'],
    ['0 0 * * SUN-SUN', '0 0 * * 0'],
    // a step that is larger than its field takes the first value, as in crontab
    ['*/90 * * * *', '0 * * * *'],
    ['0 */36 * * *', '0 0 * * *'],
  ])('"%s" means "%s"', (expression, other) => {
    const seconds = (times: ReturnType<typeof reader.read>) => ({ ...times, anyDayOfWeek: undefined })
    expect(seconds(reader.read(expression))).toEqual(seconds(reader.read(other)))
    expect(reader.read(expression)).not.toHaveProperty('problem')
  })

  it('is read once, however it is spaced at its ends; a thousand are kept', async () => {
    const fresh = await createCronReader()
    const first = fresh.read('0 9 * * *')
    expect(fresh.read(' 0 9 * * * ')).toBe(first)
    for (let index = 1; index < 1000; index += 1) fresh.read(`${index % 60} ${Math.floor(index / 60)} 1 * *`)
    expect(fresh.read('0 9 * * *')).toBe(first)
    fresh.read('0 9 2 * *')
    expect(fresh.read('0 9 * * *')).not.toBe(first)
    expect(fresh.read('0 9 * * *')).toEqual(first)
  })
})
