import { describe, expect, it } from 'vitest'
import { nextOccurrence } from './next-occurrence.ts'
import { createCronReader } from './read-cron.ts'
import { createZoneClocks } from './zone-clock.ts'

const reader = await createCronReader()
const knownClock = createZoneClocks()

/** UTC times between two, in the shortest form. */
function list(expression: string, timezone: string, from: string, through: string): string[] {
  const times = reader.read(expression)
  const clock = knownClock(timezone)
  if ('problem' in times || clock === undefined) throw new Error(`${expression} in ${timezone}`)
  const found: string[] = []
  const end = Date.parse(`${through}:00Z`)
  let at = nextOccurrence(times, clock, Date.parse(`${from}:00Z`))
  while (at !== undefined && at <= end) {
    found.push(new Date(at).toISOString().replace(':00.000Z', ''))
    at = nextOccurrence(times, clock, at)
  }
  return found
}

describe('A9: a local time that does not exist', () => {
  it('fires at the first instant after the gap, once', () => {
    const [from, through] = ['2026-03-07T12:00', '2026-03-09T12:00']
    const after = ['2026-03-08T07:00', '2026-03-09T06:30']
    expect(list('30 2 * * *', 'America/New_York', from, through)).toEqual(after)
    const each = ['2026-03-08T07:00', '2026-03-09T06:00', '2026-03-09T06:20', '2026-03-09T06:40']
    expect(list('*/20 2 * * *', 'America/New_York', from, through)).toEqual(each)
    const both = ['2026-03-08T07:00', '2026-03-08T07:30', '2026-03-09T06:30', '2026-03-09T07:30']
    expect(list('30 2,3 * * *', 'America/New_York', from, through)).toEqual(both)
  })

  it('fires where midnight does not exist, where the gap is half an hour, two hours or a day', () => {
    expect(list('0 0 * * *', 'Asia/Beirut', '2026-03-28T00:00', '2026-03-30T00:00')).toEqual([
      '2026-03-28T22:00',
      '2026-03-29T21:00',
    ])
    const half = ['2026-10-02T15:45', '2026-10-03T15:30', '2026-10-04T15:15']
    expect(list('15 2 * * *', 'Australia/Lord_Howe', '2026-10-02T00:00', '2026-10-05T00:00')).toEqual(half)
    const two = ['2026-03-28T02:30', '2026-03-29T01:00', '2026-03-30T00:30']
    expect(list('30 2 * * *', 'Antarctica/Troll', '2026-03-28T00:00', '2026-03-31T00:00')).toEqual(two)
    const day = ['2011-12-28T19:00', '2011-12-29T19:00', '2011-12-30T10:00', '2011-12-30T19:00']
    expect(list('0 9 * * *', 'Pacific/Apia', '2011-12-28T00:00', '2011-12-31T00:00')).toEqual(day)
  })
})

it('A9: a local time that occurs twice fires the first time only', () => {
  const [from, through] = ['2026-10-24T22:00', '2026-10-26T02:00']
  const first = ['2026-10-25T00:00', '2026-10-25T00:30', '2026-10-26T01:00', '2026-10-26T01:30']
  expect(list('*/30 2 * * *', 'Europe/Berlin', from, through)).toEqual(first)
  // the very time to which it comes before it is put back: it shows it an hour later
  expect(list('0 3 * * *', 'Europe/Berlin', from, through)).toEqual(['2026-10-25T02:00', '2026-10-26T02:00'])
  // Asked within the second pass, too.
  expect(list('*/30 2 * * *', 'Europe/Berlin', '2026-10-25T01:10', through)).toEqual(first.slice(2))
})

it('A9: what runs in every hour goes on evenly through both changes', () => {
  for (const [from, through] of [
    ['2026-03-08T00:00', '2026-03-09T00:00'],
    ['2026-11-01T00:00', '2026-11-02T00:00'],
  ] as const) {
    expect(list('0 * * * *', 'America/New_York', from, through)).toHaveLength(24)
    expect(list('*/5 * * * *', 'America/New_York', from, through)).toHaveLength(288)
  }
  // what is left out where the clock is put forward by an hour has come an hour before
  const whole = ['2026-03-08T05:30', '2026-03-08T06:30', '2026-03-08T07:30']
  expect(list('30 * * * *', 'America/New_York', '2026-03-08T05:00', '2026-03-08T08:00')).toEqual(whole)
  const quarters = ['2026-09-26T13:15', '2026-09-26T14:15', '2026-09-26T15:15']
  expect(list('0 * * * *', 'Pacific/Chatham', '2026-09-26T12:30', '2026-09-26T16:00')).toEqual(quarters)
  const back = ['2026-04-04T14:15', '2026-04-04T15:45', '2026-04-04T16:45']
  expect(list('15 * * * *', 'Australia/Lord_Howe', '2026-04-04T13:30', '2026-04-04T17:00')).toEqual(back)
  // By half an hour: nothing is further apart than ever.
  const half = ['2026-10-03T14:45', '2026-10-03T15:30', '2026-10-03T16:15']
  expect(list('15 * * * *', 'Australia/Lord_Howe', '2026-10-03T14:00', '2026-10-03T17:00')).toEqual(half)
})

it('an expression that never comes gives nothing, in whatever hours', () => {
  for (const expression of ['0 0 1 1 *', '0 * 1 1 *']) {
    const times = reader.read(expression)
    const clock = knownClock('Europe/Berlin')
    if ('problem' in times || clock === undefined) throw new Error(expression)
    expect(
      nextOccurrence({ ...times, daysOfMonth: '0'.repeat(32) }, clock, Date.UTC(2026, 0)),
    ).toBeUndefined()
  }
})
