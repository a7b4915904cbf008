import { pageLocale } from '../../components/text/page-locale.ts'
import type { PulseRange } from './pulse-series.ts'

const hour = new Intl.DateTimeFormat(pageLocale, { hour: '2-digit', minute: '2-digit' })
const weekday = new Intl.DateTimeFormat(pageLocale, { weekday: 'short', day: 'numeric' })

const dayAndHour = new Intl.DateTimeFormat(pageLocale, {
  weekday: 'short',
  hour: '2-digit',
  minute: '2-digit',
})

/** The same as {@link formatPoint}, with the day of an hour. */
export const formatWholePoint = (startMs: number, range: PulseRange) =>
  (range === 'day' ? dayAndHour : weekday).format(startMs)

/** The hour or the day of a point. */
export const formatPoint = (startMs: number, range: PulseRange) =>
  (range === 'day' ? hour : weekday).format(startMs)
