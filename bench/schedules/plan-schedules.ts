import type { PlannedSchedule } from './schedule-contender.ts'

const zones = Intl.supportedValuesOf('timeZone')
const zoneOf = (index: number) => zones[index % zones.length] ?? 'UTC'

/** Schedules that are nearly all different, in all time zones; next to none is due soon. */
export function planSpread(count: number): PlannedSchedule[] {
  return Array.from({ length: count }, (_, index) => ({
    schedule: `${index % 60} ${(index * 7) % 24} ${1 + (index % 28)} * *`,
    timezone: zoneOf(index),
  }))
}

/** Schedules in all time zones that are due in the same second. */
export function planTogether(count: number, at: number): PlannedSchedule[] {
  const byZone = zones.map((timezone) => ({ timezone, schedule: toDaily(timezone, at) }))
  return Array.from({ length: count }, (_, index) => byZone[index % byZone.length] ?? planUtc(at))
}

const planUtc = (at: number): PlannedSchedule => ({ timezone: 'UTC', schedule: toDaily('UTC', at) })

function toDaily(timeZone: string, at: number): string {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone, hourCycle: 'h23', timeStyle: 'medium' })
  const [hour, minute, second] = format.format(at).split(':').map(Number)
  return `${second} ${minute} ${hour} * * *`
}
