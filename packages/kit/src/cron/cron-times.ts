/**
 * The times that a cron expression allows.
 *
 * Each field is a text with a `1` at the index of each allowed value. So a search for the next value is a search in a
 * short text, and ten thousand schedules take little memory.
 */
export interface CronTimes {
  readonly seconds: string
  readonly minutes: string
  readonly hours: string
  /** Index 1 to 31. */
  readonly daysOfMonth: string
  /** Whether the last day of the month is allowed too. */
  readonly lastDayOfMonth: boolean
  /** Whether the day of the month is unrestricted, so that only the day of the week counts. */
  readonly anyDayOfMonth: boolean
  /** Index 1 to 12. */
  readonly months: string
  /** Index 0 to 6; 0 is Sunday. */
  readonly daysOfWeek: string
  /** Days of the week whose last occurrence in the month is allowed. */
  readonly lastDaysOfWeek: string
  /** Which occurrence of the days of the week in the month is allowed, such as 2 for the second; 0 means every one. */
  readonly nthDayOfWeek: number
  /** Whether the day of the week is unrestricted, so that only the day of the month counts. */
  readonly anyDayOfWeek: boolean
}

const secondsOfDay = 86_400
/** The fifth Monday of February comes after 40 years at the latest. */
const horizonMonths = 12 * 41

/**
 * The first time behind another one, both as a clock shows them: in milliseconds, as if the clock were in UTC.
 *
 * @returns undefined when there is none.
 */
export function nextLocalTime(times: CronTimes, afterMs: number): number | undefined {
  const second = Math.floor(afterMs / 1000) + 1
  const today = Math.floor(second / secondsOfDay)
  const rest = isDay(times, today) ? timeOfDay(times, second - today * secondsOfDay) : -1
  if (rest >= 0) return (today * secondsOfDay + rest) * 1000
  const day = nextDay(times, today + 1)
  return day === undefined ? undefined : (day * secondsOfDay + timeOfDay(times, 0)) * 1000
}

/** The first second of a day at or behind another one that is allowed, or -1. */
function timeOfDay({ hours, minutes, seconds }: CronTimes, from: number): number {
  const hour = Math.floor(from / 3600)
  const minute = Math.floor(from / 60) % 60
  const firstMinute = minutes.indexOf('1')
  const firstSecond = seconds.indexOf('1')
  if (hours[hour] === '1') {
    const laterSecond = minutes[minute] === '1' ? seconds.indexOf('1', from % 60) : -1
    if (laterSecond >= 0) return hour * 3600 + minute * 60 + laterSecond
    const laterMinute = minutes.indexOf('1', minute + 1)
    if (laterMinute >= 0) return hour * 3600 + laterMinute * 60 + firstSecond
  }
  const laterHour = hours.indexOf('1', hour + 1)
  return laterHour < 0 ? -1 : laterHour * 3600 + firstMinute * 60 + firstSecond
}

/** Days are counted from 1970. */
function nextDay(times: CronTimes, from: number): number | undefined {
  let day = from
  for (let month = 0; month < horizonMonths; month += 1) {
    const date = toDate(day)
    const end = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / (secondsOfDay * 1000)
    if (times.months[date.getUTCMonth() + 1] === '1') {
      for (; day < end; day += 1) if (isDay(times, day)) return day
    }
    day = end
  }
  return undefined
}

function isDay(times: CronTimes, day: number): boolean {
  const date = toDate(day)
  if (times.months[date.getUTCMonth() + 1] !== '1') return false
  if (times.anyDayOfMonth && times.anyDayOfWeek) return true
  // Either of the two, when both are given.
  return (
    (!times.anyDayOfMonth && isDayOfMonth(times, date)) || (!times.anyDayOfWeek && isDayOfWeek(times, date))
  )
}

function isDayOfMonth({ daysOfMonth, lastDayOfMonth }: CronTimes, date: Date): boolean {
  return daysOfMonth[date.getUTCDate()] === '1' || (lastDayOfMonth && daysLeft(date) === 0)
}

function isDayOfWeek({ daysOfWeek, nthDayOfWeek, lastDaysOfWeek }: CronTimes, date: Date): boolean {
  const day = date.getUTCDay()
  const isNth = nthDayOfWeek === 0 || Math.ceil(date.getUTCDate() / 7) === nthDayOfWeek
  return (daysOfWeek[day] === '1' && isNth) || (lastDaysOfWeek[day] === '1' && daysLeft(date) < 7)
}

/** Days of the month behind this one. */
function daysLeft(date: Date): number {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate() - date.getUTCDate()
}

const toDate = (day: number) => new Date(day * secondsOfDay * 1000)
