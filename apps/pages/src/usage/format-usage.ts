import type { UsageReport } from '@homeward/contract/agent-platform'
import { pageLocale } from '../components/text/page-locale.ts'
import type { UsageMetric } from './usage-series.ts'

const short = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 })
const whole = new Intl.NumberFormat()
const usd = new Intl.NumberFormat(undefined, { style: 'currency', currency: 'USD', maximumFractionDigits: 4 })

const usdAndCents = new Intl.NumberFormat(undefined, { style: 'currency', currency: 'USD' })

/** US dollars: with cents, and below one dollar with up to four decimals. */
export const formatUsd = (value: number) => (Math.abs(value) < 1 ? usd : usdAndCents).format(value)

/** A number of a metric in full. */
export function formatValue(value: number, metric: UsageMetric): string {
  return metric === 'cost' ? formatUsd(value) : whole.format(value)
}

/** A number of a metric as short as an axis needs it. */
export function formatShort(value: number, metric: UsageMetric): string {
  return metric === 'cost' ? formatUsd(value) : short.format(value)
}

/** Begin of an hour or day. Days are those of UTC, as the server sums them up; hours are shown in the time of here. */
export function formatStart(start: string, interval: UsageReport['interval']): string {
  const options: Intl.DateTimeFormatOptions =
    interval === 'day'
      ? { day: 'numeric', month: 'short', timeZone: 'UTC' }
      : { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' }
  return new Intl.DateTimeFormat(pageLocale, options).format(new Date(start))
}

/** Address of the form that gives a model a price. */
export const toPriceForm = (model: string) => `/settings/prices?model=${encodeURIComponent(model)}`
