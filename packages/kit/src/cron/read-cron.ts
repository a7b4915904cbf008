import type { CronExpressionParser as Parser, CronFieldCollection } from 'cron-parser'
import type { CronTimes } from './cron-times.ts'
import { nextLocalTime } from './cron-times.ts'

/** Reads cron expressions. */
export interface CronReader {
  /** Parses a cron expression. @returns the times that it allows, or the problem of the expression. */
  read(expression: string): CronTimes | { readonly problem: string }
}

const shortcuts =
  '@yearly, @annually, @monthly, @weekly, @daily, @midnight, @weekdays, @weekends, @hourly, @minutely or @secondly'

/** Expressions that are kept: many schedules share one, and reading takes up to 0.1 ms. */
const maxKnown = 1000

/**
 * Loads the cron parser, which takes about 30 ms, and returns a reader.
 *
 * The library only parses. Its own search for the next time takes 20 to 600 microseconds, and handles clock changes
 * differently from {@link nextOccurrence}.
 *
 * @example
 * const reader = await createCronReader()
 * const times = reader.read('0 9 * * 1-5')
 * if ('problem' in times) throw new Error(times.problem)
 */
export async function createCronReader(): Promise<CronReader> {
  // Its index also reads files, which needs Node.
  // @ts-expect-error -- the package has declarations for its index only
  const loaded: unknown = await import('cron-parser/dist/CronExpressionParser.js')
  const { CronExpressionParser } = loaded as { CronExpressionParser: typeof Parser } // as its index gives it
  const known = new Map<string, CronTimes>()

  function read(expression: string): CronTimes | { readonly problem: string } {
    const wrong = wrongForm(expression)
    if (wrong !== undefined) return { problem: wrong }
    try {
      const times = toTimes(CronExpressionParser.parse(toKnownForm(expression), { tz: 'UTC' }).fields)
      // One date is as good as another: the search goes on for longer than a calendar takes to come round.
      return nextLocalTime(times, 0) === undefined ? { problem: 'never occurs' } : times
    } catch (error) {
      return { problem: `cannot be read: ${error instanceof Error ? error.message : 'unknown reason'}` }
    }
  }

  return {
    read(given) {
      const expression = given.trim()
      const before = known.get(expression)
      if (before !== undefined) return before
      const times = read(expression)
      if ('problem' in times) return times
      if (known.size >= maxKnown) known.clear()
      known.set(expression, times)
      return times
    },
  }
}

/** The day of the month and the day of the week, counted from the end. */
const dayFields: ReadonlySet<number> = new Set([-3, -1])

/** The parser fills up missing fields and knows random values; neither is what somebody means here. */
function wrongForm(expression: string): string | undefined {
  if (expression.startsWith('@')) {
    return shortcuts.split(/, | or /).includes(expression) ? undefined : `must be one of ${shortcuts}`
  }
  const fields = expression === '' ? [] : expression.split(/\s+/)
  if (fields.length !== 5 && fields.length !== 6) {
    return `must have 5 fields, or 6 with seconds first, got ${fields.length}`
  }
  const misplaced = fields.findIndex((field, at) => field.includes('?') && !dayFields.has(at - fields.length))
  if (misplaced >= 0) {
    const hint = fields.length === 6 ? '. Six fields begin with the seconds' : ''
    return `has "?" in field ${misplaced + 1}. "?" is for the day of the month and the day of the week only${hint}`
  }
  const hashed = fields.find((field) => /(?:^|,)H/.test(field))
  return hashed === undefined
    ? undefined
    : `contains "${hashed}", a random value. Write a fixed value instead`
}

/**
 * Writes as the parser knows them: `@midnight`, and ranges of weekdays that end on Sunday, which it takes for day 0 only
 * (`FRI-SUN`). A step that is larger than its field (every 90 minutes) means what it does in crontab(5): the field's first value.
 */
function toKnownForm(expression: string): string {
  if (expression === '@midnight') return '@daily'
  return expression.replace(/\S+$/, (days) =>
    days.replaceAll(/(^|,)(?!sun|[07])(\w+)-sun(?=[,/]|$)/gi, '$1$2-7'),
  )
}

function toTimes(fields: CronFieldCollection): CronTimes {
  const { dayOfMonth, dayOfWeek } = fields
  return {
    seconds: toBits(fields.second.values, 60),
    minutes: toBits(fields.minute.values, 60),
    hours: toBits(fields.hour.values, 24),
    daysOfMonth: toBits(dayOfMonth.values, 32),
    lastDayOfMonth: dayOfMonth.hasLastChar,
    anyDayOfMonth: dayOfMonth.isWildcard,
    months: toBits(fields.month.values, 13),
    daysOfWeek: toBits(dayOfWeek.values, 7),
    lastDaysOfWeek: toBits(
      dayOfWeek.values
        .filter((value) => typeof value === 'string')
        .map((value) => Number.parseInt(value) % 7),
      7,
    ),
    nthDayOfWeek: dayOfWeek.nthDay,
    anyDayOfWeek: dayOfWeek.isWildcard,
  }
}

/** A `1` for each value; values that are no numbers are left out. */
function toBits(values: readonly (number | string)[], length: number): string {
  return Array.from({ length }, (_, value) => (values.includes(value) ? '1' : '0')).join('')
}
