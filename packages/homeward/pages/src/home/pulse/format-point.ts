import { pageLocale } from '../../components/text/page-locale.ts'
import type { PulseRange } from './pulse-series.ts'

const hour = new Intl.DateTimeFormat(pageLocale, { hour: '2-digit', minute: '2-digit' })
const weekday = new Intl.DateTimeFormat(pageLocale, { weekday: 'short', day: 'numeric' })

/** The hour or the day of a point. */
export const formatPoint = (startMs: number, range: PulseRange) =>
  (range === 'day' ? hour : weekday).format(startMs)
