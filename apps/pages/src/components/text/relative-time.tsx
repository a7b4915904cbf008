import { pageLocale } from './page-locale.ts'
import { useNow } from './use-now.ts'

const relative = new Intl.RelativeTimeFormat(pageLocale, { numeric: 'auto', style: 'short' })
const exact = new Intl.DateTimeFormat(pageLocale, { dateStyle: 'medium', timeStyle: 'medium' })

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const

/** What a {@link RelativeTime} takes. */
interface RelativeTimeProps {
  /** ISO 8601. */
  readonly value: string
}

/** How long ago something was, or until it is. The exact time is its title. */
export function RelativeTime({ value }: RelativeTimeProps) {
  const now = useNow()
  const time = Date.parse(value)
  if (Number.isNaN(time)) return <span className="foreign">{value}</span>
  return (
    <time dateTime={value} title={exact.format(time)} className="numeric">
      {describe(time - now)}
    </time>
  )
}

function describe(differenceMs: number): string {
  const seconds = Math.round(differenceMs / 1000)
  if (Math.abs(seconds) < 5) return 'now'
  const [unit, length] = units.find(([, size]) => Math.abs(seconds) >= size) ?? units[5]
  return relative.format(Math.round(seconds / length), unit)
}

/** The date and time as people write it here. Text that is none stays as it is. */
export function formatTime(value: string): string {
  const time = Date.parse(value)
  return Number.isNaN(time) ? value : exact.format(time)
}

/** A time that may be absent. */
export function TimeOrNever({ value }: { readonly value: string | undefined }) {
  return value === undefined ? 'Never' : <RelativeTime value={value} />
}
