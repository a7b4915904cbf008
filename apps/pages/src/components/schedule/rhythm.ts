/** How often something runs, in the terms of people. Times are `HH:MM`. */
type Rhythm =
  | { readonly kind: 'minutes'; readonly every: number }
  | { readonly kind: 'hourly'; readonly minute: number }
  | { readonly kind: 'daily'; readonly time: string }
  | { readonly kind: 'weekdays'; readonly time: string }
  /** `day` counts from 0, a Sunday. */
  | { readonly kind: 'weekly'; readonly day: number; readonly time: string }
  | { readonly kind: 'monthly'; readonly day: number; readonly time: string }

const names = new Map([
  ['@hourly', '0 * * * *'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@weekly', '0 0 * * 0'],
  ['@monthly', '0 0 1 * *'],
])

const dayNames = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const

/** The rhythm of a cron expression; undefined for one that says more than a rhythm can. */
export function readRhythm(cron: string): Rhythm | undefined {
  const parts = (names.get(cron.trim()) ?? cron).trim().split(/\s+/)
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = parts
  if (parts.length !== 5 || month !== '*') return undefined
  const [, every] = /^\*\/(\d{1,2})$/.exec(minute) ?? []
  const rest = `${hour} ${day} ${weekday}`
  if (every !== undefined && rest === '* * *' && 60 % Number(every) === 0)
    return { kind: 'minutes', every: Number(every) }
  if (!isBelow(minute, 60)) return undefined
  if (rest === '* * *') return { kind: 'hourly', minute: Number(minute) }
  if (!isBelow(hour, 24)) return undefined
  return readDays(day, weekday, `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`)
}

function readDays(day: string, weekday: string, time: string): Rhythm | undefined {
  if (day === '*' && weekday === '*') return { kind: 'daily', time }
  if (day === '*' && weekday === '1-5') return { kind: 'weekdays', time }
  if (day === '*' && isBelow(weekday, 8)) return { kind: 'weekly', day: Number(weekday) % 7, time }
  if (weekday === '*' && isBelow(day, 32) && day !== '0') return { kind: 'monthly', day: Number(day), time }
  return undefined
}

const isBelow = (text: string, limit: number) => /^\d{1,2}$/.test(text) && Number(text) < limit

/** A cron expression in words, such as "Every weekday at 09:00"; the expression itself where words do not reach. */
export function describeCron(cron: string): string {
  const rhythm = readRhythm(cron)
  switch (rhythm?.kind) {
    case undefined:
      return cron
    case 'minutes':
      return rhythm.every === 1 ? 'Every minute' : `Every ${rhythm.every} minutes`
    case 'hourly':
      return rhythm.minute === 0
        ? 'Every hour'
        : `Every hour at ${String(rhythm.minute).padStart(2, '0')} minutes`
    case 'daily':
      return `Every day at ${rhythm.time}`
    case 'weekdays':
      return `Every weekday at ${rhythm.time}`
    case 'weekly':
      return `Every ${dayNames[rhythm.day]} at ${rhythm.time}`
    case 'monthly':
      return `Every month on day ${rhythm.day} at ${rhythm.time}`
  }
}
