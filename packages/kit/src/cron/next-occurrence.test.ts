import { CronExpressionParser } from 'cron-parser'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nextLocalTime } from './cron-times.ts'
import { nextOccurrence } from './next-occurrence.ts'
import type { CronReader } from './read-cron.ts'
import { createCronReader } from './read-cron.ts'
import { firesByHand } from './testing/fires-by-hand.ts'
import { createZoneClocks } from './zone-clock.ts'

const reader = await createCronReader()
const knownClock = createZoneClocks()
const yearMs = 365.25 * 86_400_000

function clockOf(timezone: string) {
  const clock = knownClock(timezone)
  if (clock === undefined) throw new Error(`There is no zone ${timezone}`)
  return clock
}

function timesOf(expression: string, from: CronReader = reader) {
  const times = from.read(expression)
  if ('problem' in times) throw new Error(`${expression} ${times.problem}`)
  return times
}

function fires(expression: string, timezone: string, from: number, through: number): number[] {
  const found: number[] = []
  const times = timesOf(expression)
  let at = nextOccurrence(times, clockOf(timezone), from)
  while (at !== undefined && at <= through) {
    found.push(at)
    at = nextOccurrence(times, clockOf(timezone), at)
  }
  return found
}

/** The first times that one of the lists lacks, as text. */
function difference(ours: readonly number[], theirs: readonly number[]): string {
  const [own, other] = [new Set(ours), new Set(theirs)]
  const lost = theirs.filter((time) => !own.has(time)).slice(0, 3)
  const more = ours.filter((time, place) => !other.has(time) || ours[place - 1] === time).slice(0, 3)
  const toText = (time: number) => new Date(time).toISOString()
  return [
    ...lost.map((time) => `lost ${toText(time)}`),
    ...more.map((time) => `too many ${toText(time)}`),
  ].join(', ')
}

const minute = fc.constantFrom('0', '30', '59', '*/20', '5,35', '0-10/5')
const hour = fc.constantFrom('0', '1', '2', '3', '1-3', '0,23', '*/2', '*/6', '22-23')
const everyHour = fc.constantFrom('*', '*/1', '0-23')
const day = fc.constantFrom(
  '* * *',
  '* * *',
  '* * 0',
  '* * 1-5',
  'L * *',
  '1,15 * *',
  '*/2 * *',
  '* 3,10 6L',
  '* * 0#2',
)
const zones = Intl.supportedValuesOf('timeZone')
const restless = [
  'America/New_York',
  'Europe/Berlin',
  'Australia/Lord_Howe',
  'Africa/Casablanca',
  'America/Santiago',
]
const zone = fc.oneof(
  fc.constantFrom(...zones),
  fc.constantFrom(...restless, 'Antarctica/Troll', 'Asia/Gaza', 'Africa/Cairo'),
)

describe('over ten years and many time zones', () => {
  it('A9: no time is lost and none doubled, with certain hours', { timeout: 60_000 }, () => {
    const start = fc.integer({ min: Date.UTC(2005, 0), max: Date.UTC(2030, 0) })
    fc.assert(
      fc.property(
        fc.constantFrom('0', '30'),
        hour,
        day,
        zone,
        start,
        (minutes, hours, days, timezone, from) => {
          const expression = `${minutes} ${hours} ${days}`
          const through = from + 10 * yearMs
          const byHand = firesByHand(expression, timezone, from, through)
          expect(difference(fires(expression, timezone, from, through), byHand), timezone).toBe('')
        },
      ),
      { numRuns: 12, examples: [['0', '0', '* * *', 'America/Asuncion', Date.UTC(2005, 0)]] },
    )
  })

  it('A9: no time is lost and none doubled, around every change', { timeout: 60_000 }, () => {
    const start = fc.integer({ min: Date.UTC(2005, 0), max: Date.UTC(2035, 0) })
    fc.assert(
      fc.property(minute, fc.oneof(hour, everyHour), zone, start, (minutes, hours, timezone, from) => {
        const [change] = clockOf(timezone).changes(from, from + yearMs)
        if (change === undefined) return
        const expression = `${minutes} ${hours} * * *`
        const [near, far] = [change.at - 40 * 3_600_000, change.at + 40 * 3_600_000]
        const byHand = firesByHand(expression, timezone, near, far)
        expect(difference(fires(expression, timezone, near, far), byHand), timezone).toBe('')
      }),
      { numRuns: 60 },
    )
  })

  it('A9: gives the same times wherever one begins to look', () => {
    const start = fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2035, 0) })
    fc.assert(
      fc.property(
        minute,
        fc.oneof(hour, everyHour),
        zone,
        start,
        fc.nat(172_800_000),
        (m, h, timezone, from, later) => {
          const whole = fires(`${m} ${h} * * *`, timezone, from, from + 200_000_000)
          const rest = fires(`${m} ${h} * * *`, timezone, from + later, from + 200_000_000)
          expect(rest).toEqual(whole.filter((time) => time > from + later))
        },
      ),
      { numRuns: 200 },
    )
  })
})

it('finds the times that the parser finds where no clock is changed', () => {
  const seconds = fc.constantFrom('', '', '0 ', '*/7 ', '59 ', '10-20 ')
  const months = fc.constantFrom('*', '2', '1-6/2', 'feb,dec', '*/5')
  const days = fc.constantFrom('*', '1', '29', '31', 'L', '10,L', '*/9', '?')
  const weekdays = fc.constantFrom('*', '0', '7', '1-5', 'mon#2', '5L', 'sat,sun', '*/3', '1L,3L')
  const part = fc.constantFrom('*', '0', '59', '*/7', '3-9', '1,30')
  const hours = fc.constantFrom('*', '0', '23', '*/7', '3-9', '1,22')
  const start = fc.integer({ min: Date.UTC(1999, 0), max: Date.UTC(2105, 0) })
  fc.assert(
    fc.property(seconds, part, hours, days, months, weekdays, start, (s, m, h, d, mon, w, from) => {
      const expression = `${s}${m} ${h} ${d} ${mon} ${w}`
      const times = reader.read(expression)
      if ('problem' in times) return
      const cron = CronExpressionParser.parse(expression, { tz: 'UTC', currentDate: new Date(from) })
      let at: number | undefined = from
      for (let count = 0; count < 5 && at !== undefined; count += 1) {
        at = nextLocalTime(times, at)
        expect(at, expression).toBe(cron.next().getTime())
      }
    }),
    { numRuns: 500 },
  )
})
