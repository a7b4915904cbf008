import { RunSort, RunSource, RunStatus } from '@homeward/contract/agent-platform'
import type { TableSort } from '../components/table/data-table.tsx'

/** A filter that narrows nothing, by the names that it has in the address. */
export const noActivityFilter = {
  q: '',
  agent_id: '',
  graph_id: '',
  status: '',
  source: '',
  conversation_id: '',
  user_id: '',
  parent_run_id: '',
  /** A key of {@link timeRanges}; empty for any time. */
  range: '',
  /** ISO 8601. Count with the range `custom` only. */
  from: '',
  to: '',
  sort: '-created_at',
  min_cost: '',
  feedback: '',
}

/** The filters of the list of runs, as the address has them. */
export type ActivityFilter = typeof noActivityFilter

const hourMs = 3_600_000

/** How far back the list goes. */
export const timeRanges = [
  { value: 'any', label: 'Any time', lengthMs: undefined },
  { value: 'hour', label: 'Last hour', lengthMs: hourMs },
  { value: 'day', label: 'Last 24 hours', lengthMs: 24 * hourMs },
  { value: 'week', label: 'Last 7 days', lengthMs: 7 * 24 * hourMs },
  { value: 'month', label: 'Last 30 days', lengthMs: 30 * 24 * hourMs },
  { value: 'custom', label: 'From … to …', lengthMs: undefined },
] as const

/** A choice of time. */
export type TimeRange = (typeof timeRanges)[number]['value']

/** Orders of the list. */
export const sortOptions = [
  { value: '-created_at', label: 'Newest first' },
  { value: 'created_at', label: 'Oldest first' },
  { value: '-cost', label: 'Highest cost first' },
  { value: '-duration', label: 'Longest first' },
] as const satisfies readonly { readonly value: RunSort; readonly label: string }[]

/** Feedback that the list can be narrowed to. */
const ratings = ['any', 'up', 'down'] as const

/** The time that the address means: a link with `from` or `to` alone has a time of its own. */
export function rangeOf({ range, from, to }: ActivityFilter): TimeRange {
  const known = timeRanges.find(({ value }) => value === range)
  return known?.value ?? (from === '' && to === '' ? 'any' : 'custom')
}

/** The order that the address means. */
export function sortOf({ sort }: ActivityFilter): RunSort {
  return RunSort.options.find((each) => each === sort) ?? '-created_at'
}

/** As the server takes it. */
const maxTextLength = 500

/** Words as the server takes them: the last one may still be written. A blank after it ends the word. */
function toBeginning(text: string): string {
  return /[\p{L}\p{N}]$/u.test(text)
    ? `${text.trim().slice(0, maxTextLength - 1)}*`
    : text.trim().slice(0, maxTextLength)
}

/** The query of a filter. What somebody wrote into the address and the API rejects is left out. */
export function toRunQuery(filter: ActivityFilter, nowMs: number) {
  const { q, agent_id, graph_id, conversation_id, parent_run_id, min_cost } = filter
  const userId = filter.user_id.trim()
  const status = RunStatus.options.find((each) => each === filter.status)
  const source = RunSource.options.find((each) => each === filter.source)
  const sort = sortOf(filter)
  const feedback = ratings.find((each) => each === filter.feedback)
  return {
    ...(feedback !== undefined && { feedback }),
    ...(q.trim() !== '' && { q: toBeginning(q) }),
    ...(agent_id !== '' && { agent_id }),
    ...(graph_id !== '' && { graph_id }),
    ...(userId !== '' && { user_id: userId }),
    ...(conversation_id !== '' && { conversation_id }),
    ...(parent_run_id !== '' && { parent_run_id }),
    ...(status !== undefined && { status }),
    ...(source !== undefined && { source }),
    ...(/^\d{1,9}(\.\d{1,9})?$/.test(min_cost) && { min_cost }),
    ...toTimes(filter, nowMs),
    ...(sort !== '-created_at' && { sort }),
  }
}

function toTimes(filter: ActivityFilter, nowMs: number): { readonly from?: string; readonly to?: string } {
  const range = rangeOf(filter)
  if (range === 'custom') {
    const [from, to] = [toIso(filter.from), toIso(filter.to)]
    return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
  }
  const lengthMs = timeRanges.find(({ value }) => value === range)?.lengthMs
  return lengthMs === undefined ? {} : { from: new Date(nowMs - lengthMs).toISOString() }
}

function toIso(text: string): string | undefined {
  const ms = Date.parse(text)
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString()
}

/** Whether the filter leaves runs out. */
export function isNarrowed(filter: ActivityFilter): boolean {
  const names = Object.keys(noActivityFilter) as (keyof ActivityFilter)[] // the keys of the object
  return names.some((name) => name !== 'sort' && filter[name] !== noActivityFilter[name])
}

/** The columns of the table that sort, and the order of the API that each begins with. */
const firstSorts: Readonly<Record<string, RunSort>> = {
  time: '-created_at',
  cost: '-cost',
  duration: '-duration',
}

/** The order after a press on a header: a second press on the time turns it around, one on the others ends their order. */
export function nextSort(current: RunSort, column: string): RunSort {
  const first = firstSorts[column] ?? '-created_at'
  if (current !== first) return first
  return column === 'time' ? 'created_at' : '-created_at'
}

/** What the table shows of an order. */
export function toTableSort(sort: RunSort): TableSort {
  if (sort === 'created_at') return { column: 'time', direction: 'ascending' }
  const column = Object.keys(firstSorts).find((name) => firstSorts[name] === sort) ?? 'time'
  return { column, direction: 'descending' }
}
