import { pageLocale } from './page-locale.ts'
import { useNow } from './use-now.ts'

const relative = new Intl.RelativeTimeFormat(pageLocale, { numeric: 'auto', style: 'short' })
/** How clocks and calendars of a time zone say a time. */
interface ZoneFormats {
  readonly clock: Intl.DateTimeFormat
  readonly weekday: Intl.DateTimeFormat
  readonly dayOfYear: Intl.DateTimeFormat
  readonly date: Intl.DateTimeFormat
  /** `2026-11-30` */
  readonly day: Intl.DateTimeFormat
}

const byZone = new Map<string, ZoneFormats>()

/** The formats of a time zone. One that the browser does not know, and an empty one, is that of the browser. */
function formatsOf(zone = ''): ZoneFormats {
  const known = byZone.get(zone)
  if (known) return known
  const formats = createFormats(zone) ?? createFormats('')!
  byZone.set(zone, formats)
  return formats
}

function createFormats(timeZone: string): ZoneFormats | undefined {
  const of = (locale: typeof pageLocale, options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { ...options, ...(timeZone !== '' && { timeZone }) })
  try {
    return {
      clock: of(pageLocale, { hour: '2-digit', minute: '2-digit' }),
      weekday: of(pageLocale, { weekday: 'short' }),
      dayOfYear: of(pageLocale, { month: 'short', day: 'numeric' }),
      date: of(pageLocale, { dateStyle: 'medium' }),
      day: of('en-CA', { year: 'numeric', month: '2-digit', day: '2-digit' }),
    }
  } catch {
    return undefined
  }
}

const exact = new Intl.DateTimeFormat(pageLocale, { dateStyle: 'medium', timeStyle: 'medium' })

const hourMs = 3_600_000
const dayMs = 86_400_000

/** What a {@link RelativeTime} takes. */
interface RelativeTimeProps {
  /** ISO 8601. */
  readonly value: string
  /** @default the exact time in the time zone of the browser */
  readonly title?: string
  /** IANA time zone of days and hours. @default that of the browser */
  readonly timeZone?: string
}

/** How long ago something was, or until it is; from a week away its date. The exact time is its title. */
export function RelativeTime({ value, title, timeZone }: RelativeTimeProps) {
  const now = useNow()
  const time = Date.parse(value)
  if (Number.isNaN(time)) return <span className="foreign">{value}</span>
  return (
    <time dateTime={value} title={title ?? exact.format(time)} className="numeric">
      {describeTime(time, now, timeZone)}
    </time>
  )
}

/**
 * A time as people say it: "5 min. ago", "tomorrow 09:00", "Mon 09:00", "Nov 3". Days are those of the calendar: 30 hours from
 * now may be tomorrow or the day after.
 */
export function describeTime(time: number, now: number, timeZone?: string): string {
  const seconds = Math.round((time - now) / 1000)
  const distance = Math.abs(seconds)
  if (distance < 5) return 'now'
  if (distance < 60) return relative.format(seconds, 'second')
  if (distance < 3600) return relative.format(Math.round(seconds / 60), 'minute')
  const formats = formatsOf(timeZone)
  const { clock, weekday, dayOfYear, date } = formats
  const days = calendarDays(now, time, formats)
  if (days === 0 || (distance < 12 * 3600 && days < 0))
    return relative.format(Math.round((time - now) / hourMs), 'hour')
  if (Math.abs(days) === 1) return `${relative.format(days, 'day')} ${clock.format(time)}`
  if (days > 0 && days < 7) return `${weekday.format(time)} ${clock.format(time)}`
  if (days < 0 && days > -7) return relative.format(days, 'day')
  return isSameYear(now, time) ? dayOfYear.format(time) : date.format(time)
}

/** Midnights between two times, in a time zone. */
const calendarDays = (from: number, to: number, { day }: ZoneFormats) =>
  Math.round((Date.parse(day.format(to)) - Date.parse(day.format(from))) / dayMs)

const isSameYear = (one: number, other: number) =>
  new Date(one).getFullYear() === new Date(other).getFullYear()

/** The date and time as people write it here. Text that is none stays as it is. */
export function formatTime(value: string): string {
  const time = Date.parse(value)
  return Number.isNaN(time) ? value : exact.format(time)
}

/** A date as lists of files have it: "5 Dec 2024", and the hour where it was today or yesterday. The exact time is its title. */
export function FileDate({ value }: Pick<RelativeTimeProps, 'value'>) {
  const now = useNow()
  const time = Date.parse(value)
  if (Number.isNaN(time)) return <span className="foreign">{value}</span>
  const formats = formatsOf()
  const { clock, date } = formats
  const days = calendarDays(now, time, formats)
  const isNear = days === 0 || days === -1
  return (
    <time dateTime={value} title={exact.format(time)} className="numeric">
      {isNear ? `${relative.format(days, 'day')} ${clock.format(time)}` : date.format(time)}
    </time>
  )
}

/** A time that may be absent. */
export function TimeOrNever({ value }: { readonly value: string | undefined }) {
  return value === undefined ? 'Never' : <RelativeTime value={value} />
}
