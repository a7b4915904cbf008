import { pageLocale } from './page-locale.ts'

/** A time as a clock in the zone shows it, with the day of the week and the name of the offset. Empty: the browser's zone. */
export function formatInZone(value: string, timezone: string): string {
  const time = Date.parse(value)
  return Number.isNaN(time) ? value : createFormat(timezone, time % 60_000 !== 0).format(time)
}

/** A zone that this browser does not know is shown in its own: the name of the offset says which. */
function createFormat(timezone: string, hasSeconds: boolean): Intl.DateTimeFormat {
  const options: Intl.DateTimeFormatOptions = {
    weekday: 'short',
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    ...(hasSeconds && { second: '2-digit' }),
    timeZoneName: 'short',
  }
  try {
    return new Intl.DateTimeFormat(pageLocale, { ...options, ...(timezone !== '' && { timeZone: timezone }) })
  } catch {
    return new Intl.DateTimeFormat(pageLocale, options)
  }
}
