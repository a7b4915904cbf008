import { usePlatformQuery } from '../api/platform.ts'
import { useNow } from '../components/text/use-now.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** Times that usage is shown for, by their names in the address. */
export const usageRanges = [
  { value: 'day', label: 'Last 24 hours', interval: 'hour', lengthMs: 24 * hourMs },
  { value: 'week', label: 'Last 7 days', interval: 'hour', lengthMs: 7 * 24 * hourMs },
  { value: 'month', label: 'Last 30 days', interval: 'day', lengthMs: 30 * 24 * hourMs },
  { value: 'quarter', label: 'Last 90 days', interval: 'day', lengthMs: 90 * 24 * hourMs },
] as const

/** Usage of a time, read again every minute; Home and the page of the usage show the same. */
export function useUsage(
  range: (typeof usageRanges)[number]['value'],
  narrowed: { readonly agent_id?: string; readonly group?: 'user' } = {},
) {
  const { interval, lengthMs } = usageRanges.find(({ value }) => value === range) ?? usageRanges[2]
  // It goes along with the time, an hour at once.
  const from = new Date(useNow(hourMs) - lengthMs).toISOString()
  return usePlatformQuery(
    'getUsage',
    { query: { from, interval, ...narrowed } },
    { refetchInterval: minuteMs, keepPrevious: true },
  )
}
