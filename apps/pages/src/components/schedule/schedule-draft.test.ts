import { expect, it } from 'vitest'
import { checkSchedule, describeSchedule, fromCron, noSchedule, toCron } from './schedule-draft.ts'

it('writes schedules as cron expressions and reads them back', () => {
  for (const [draft, cron, words] of [
    [{ every: 'hourly' }, '0 * * * *', 'every hour'],
    [{ every: 'daily', time: '08:05' }, '5 8 * * *', 'every day at 08:05'],
    [{ every: 'weekdays', time: '9:00' }, '0 9 * * 1-5', 'every weekday at 09:00'],
    [{ every: 'weekly', time: '23:59', day: '0' }, '59 23 * * 0', 'every Sunday at 23:59'],
    [{ every: 'cron', cron: ' */5 * * * * ' }, '*/5 * * * *', '*/5 * * * *'],
  ] as const) {
    expect(toCron({ ...noSchedule, ...draft })).toBe(cron)
    expect(fromCron(cron).every).toBe(draft.every)
    expect(toCron(fromCron(cron))).toBe(cron)
    expect(describeSchedule(cron)).toBe(words)
  }
  expect(toCron(noSchedule)).toBeUndefined()
  expect(describeSchedule(undefined)).toBe('only when you run it')
  expect(describeSchedule('0 9 * * *', 'Europe/Oslo')).toBe('every day at 09:00 (Europe/Oslo)')
})

it('says what is missing in a schedule', () => {
  expect(checkSchedule({ ...noSchedule, every: 'daily', time: '25:00' })).toHaveProperty('time')
  expect(checkSchedule({ ...noSchedule, every: 'cron' })).toHaveProperty('cron')
  expect(checkSchedule({ ...noSchedule, time: '' })).toEqual({})
})
