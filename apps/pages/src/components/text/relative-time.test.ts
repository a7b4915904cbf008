import { expect, it } from 'vitest'
import { describeTime } from './relative-time.tsx'

const saturday = new Date(2026, 10, 28, 15, 0).getTime()
const at = (day: number, hour: number, month = 10, year = 2026) => new Date(year, month, day, hour).getTime()
const hour = (value: number) => new RegExp(`\\b0?${value}:00`)

it('counts days by the calendar, not by hours', () => {
  expect(describeTime(at(29, 9), saturday)).toMatch(/^tomorrow/)
  expect(describeTime(at(30, 9), saturday)).toMatch(/^Mon\b/)
  expect(describeTime(at(27, 23), saturday)).toMatch(/^yesterday/)
  expect(describeTime(at(26, 16), saturday)).toMatch(/^2 days ago/)
})

it('says the hour of what comes on another day, and of yesterday', () => {
  for (const day of [29, 30]) expect(describeTime(at(day, 9), saturday)).toMatch(hour(9))
  expect(describeTime(at(27, 1), saturday)).toMatch(hour(1))
})

it('says how long it takes within a day, also over midnight for what has just been', () => {
  expect(describeTime(saturday + 2000, saturday)).toBe('now')
  expect(describeTime(saturday - 100 * 60_000, saturday)).toMatch(/^2 hr\.? ago$/)
  expect(describeTime(at(27, 23), at(28, 1))).toMatch(/^2 hr\.? ago$/)
  expect(describeTime(saturday + 20 * 60_000, saturday)).toMatch(/^in 20 min/)
})

it('says the date from a week away, with the year where it is another one', () => {
  expect(describeTime(at(3, 12), saturday)).toMatch(/^(?:Nov 3|3 Nov)$/)
  expect(describeTime(at(3, 12, 5, 2015), saturday)).toContain('2015')
  expect(describeTime(at(8, 12, 11), saturday)).toMatch(/^(?:Dec 8|8 Dec)$/)
})

it('counts days and says hours in the time zone of a schedule', () => {
  const noon = Date.parse('2026-11-28T12:00:00Z')
  const fire = Date.parse('2026-11-29T23:00:00Z')
  expect(describeTime(fire, noon, 'Asia/Tokyo')).toMatch(/^Mon 0?8:00/)
  expect(describeTime(fire, noon, 'UTC')).toMatch(/^tomorrow (?:23|11):00/)
})
