import { readRhythm } from './rhythm.ts'

/** How often something runs, as people choose it. */
export type Frequency = 'never' | 'hourly' | 'daily' | 'weekdays' | 'weekly' | 'cron'

/** A schedule as a form has it. What `every` does not need is kept for another choice. */
export interface ScheduleDraft {
  readonly every: Frequency
  /** Hour and minute, `HH:MM`. */
  readonly time: string
  /** Day of the week: 0 is Sunday. */
  readonly day: string
  /** Cron expression, for what the other choices cannot say. */
  readonly cron: string
}

/** The days of a week, by their number in a cron expression. */
export const days = [
  { value: '1', label: 'Monday' },
  { value: '2', label: 'Tuesday' },
  { value: '3', label: 'Wednesday' },
  { value: '4', label: 'Thursday' },
  { value: '5', label: 'Friday' },
  { value: '6', label: 'Saturday' },
  { value: '0', label: 'Sunday' },
]

/** No times: it runs when a person runs it. */
export const noSchedule: ScheduleDraft = { every: 'never', time: '09:00', day: '1', cron: '' }

const timePattern = /^([01]?\d|2[0-3]):([0-5]\d)$/

/** What is wrong with a schedule, by field. */
export function checkSchedule({ every, time, cron }: ScheduleDraft): { time?: string; cron?: string } {
  if (every === 'cron') return cron.trim() === '' ? { cron: 'Enter a cron expression.' } : {}
  const needsTime = every === 'daily' || every === 'weekdays' || every === 'weekly'
  return needsTime && !timePattern.test(time.trim()) ? { time: 'Enter a time such as 09:00.' } : {}
}

/** The cron expression of a valid schedule; undefined where the search runs only when somebody runs it. */
export function toCron({ every, time, day, cron }: ScheduleDraft): string | undefined {
  const [, hour = '0', minute = '0'] = timePattern.exec(time.trim()) ?? []
  const at = `${Number(minute)} ${Number(hour)} * *`
  switch (every) {
    case 'never':
      return undefined
    case 'hourly':
      return '0 * * * *'
    case 'daily':
      return `${at} *`
    case 'weekdays':
      return `${at} 1-5`
    case 'weekly':
      return `${at} ${day}`
    case 'cron':
      return cron.trim()
  }
}

/** Reads a cron expression as the choice that makes it, where there is one. */
export function fromCron(cron: string | undefined): ScheduleDraft {
  if (cron === undefined) return noSchedule
  const rhythm = readRhythm(cron)
  if (rhythm?.kind === 'hourly' && rhythm.minute === 0) return { ...noSchedule, every: 'hourly', cron }
  if (rhythm?.kind === 'daily' || rhythm?.kind === 'weekdays')
    return { ...noSchedule, every: rhythm.kind, time: rhythm.time, cron }
  if (rhythm?.kind === 'weekly') return { every: 'weekly', time: rhythm.time, day: String(rhythm.day), cron }
  return { ...noSchedule, every: 'cron', cron }
}

/** When a saved search runs, in words; the expression itself where it says more than the words can. */
export function describeSchedule(cron: string | undefined, timezone?: string): string {
  const { every, time, day } = fromCron(cron)
  const zone = timezone === undefined ? '' : ` (${timezone})`
  switch (every) {
    case 'never':
      return 'only when you run it'
    case 'hourly':
      return 'every hour'
    case 'daily':
      return `every day at ${time}${zone}`
    case 'weekdays':
      return `every weekday at ${time}${zone}`
    case 'weekly':
      return `every ${days.find(({ value }) => value === day)?.label ?? 'week'} at ${time}${zone}`
    case 'cron':
      return `${cron}${zone}`
  }
}
