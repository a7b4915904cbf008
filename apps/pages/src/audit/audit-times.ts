/** A filter that narrows nothing. */
export const anything = 'all'

/** How far back an audit is shown: days, or {@link anything}. */
export const auditTimes = [
  { value: anything, label: 'Any time' },
  { value: '1', label: 'Last 24 hours' },
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
]

const hourMs = 60 * 60 * 1000

/** The start of the hour so many days ago: the same query for a while, not another one at each render. */
export function daysAgo(days: number): string {
  return new Date(Math.floor(Date.now() / hourMs) * hourMs - days * 24 * hourMs).toISOString()
}
