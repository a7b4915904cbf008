import type { Run, RunTime } from '@homeward/contract/agent-platform'
import { pageLocale } from '../../components/text/page-locale.ts'

/** The time that the pulse shows. */
export type PulseRange = 'day' | 'week'

/** How long a run took. */
export interface PulseRun {
  /** Until it ended; undefined while it is open. */
  readonly durationMs: number | undefined
  /** How long it waited for people and events. */
  readonly waitedMs: number
}

/** How long a run waited: waits may overlap. */
export function waitedMs({ waits }: Pick<Run, 'waits'>): number {
  let endMs = 0
  let sum = 0
  const spans = waits.flatMap(({ created_at: from, answered_at: to }) =>
    to === undefined ? [] : [[Date.parse(from), Date.parse(to)] as const],
  )
  for (const [from, to] of spans.toSorted(([one], [other]) => one - other)) {
    sum += Math.max(0, to - Math.max(from, endMs))
    endMs = Math.max(endMs, to)
  }
  return sum
}

/** Runs that began in one hour or on one day, by result. */
export interface PulsePoint {
  /** Begin in milliseconds since 1970. */
  readonly startMs: number
  readonly completed: number
  readonly failed: number
  readonly cancelled: number
  /** Running, or waiting for a person. */
  readonly open: number
}

/** The results, in the order in which they are stacked. */
export const results = ['completed', 'failed', 'cancelled', 'open'] as const
/** One of the results. */
type Result = (typeof results)[number]

const hours = 24
const days = 7

/** Begins of the last 24 hours, or of the last seven days as the calendar of this machine has them. The last one is now. */
export function pulseStarts(range: PulseRange, nowMs: number): readonly number[] {
  const now = new Date(nowMs)
  const [year, month, day, hour] = [now.getFullYear(), now.getMonth(), now.getDate(), now.getHours()]
  if (range === 'week') {
    return Array.from({ length: days }, (_, place) => +new Date(year, month, day - days + 1 + place))
  }
  return Array.from({ length: hours }, (_, place) => +new Date(year, month, day, hour - hours + 1 + place))
}

/** Adds up counts by when runs began. */
export function toPulse(times: readonly RunTime[], starts: readonly number[]): readonly PulsePoint[] {
  const points = starts.map((startMs) => ({ startMs, completed: 0, failed: 0, cancelled: 0, open: 0 }))
  for (const { start, runs } of times) {
    const point = points.findLast(({ startMs }) => startMs <= Date.parse(start))
    if (!point) continue
    const { running = 0, waiting = 0, completed = 0, failed = 0, cancelled = 0 } = runs
    point.completed += completed
    point.failed += failed
    point.cancelled += cancelled
    point.open += running + waiting
  }
  return points
}

/** Time in which 95 of 100 ended runs were done, without their waits; undefined without one. */
export function toP95Ms(runs: readonly PulseRun[]): number | undefined {
  const durations = runs.flatMap(({ durationMs, waitedMs: waited }) =>
    durationMs === undefined ? [] : Math.max(0, durationMs - waited),
  )
  const sorted = durations.toSorted((one, other) => one - other)
  return sorted[Math.ceil(sorted.length * 0.95) - 1]
}

const hour = new Intl.DateTimeFormat(pageLocale, { hour: '2-digit', minute: '2-digit' })
const weekday = new Intl.DateTimeFormat(pageLocale, { weekday: 'short', day: 'numeric' })

/** The hour or the day of a point. */
export const formatPoint = (startMs: number, range: PulseRange) =>
  (range === 'day' ? hour : weekday).format(startMs)

/** What the results of runs are called. */
export const resultNames: Readonly<Record<Result, string>> = {
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Canceled',
  open: 'Running or waiting',
}

/** Points of the pulse, by their places: from the begin of the first to the end of the last one. */
interface PulseSpan {
  readonly first: number
  readonly last: number
}

/** A span between two points, whichever was named first. */
export const spanOf = (one: number, other: number): PulseSpan => ({
  first: Math.min(one, other),
  last: Math.max(one, other),
})

/**
 * Address of the runs that began in a span. One that goes until now has no end, so that newer runs are listed, too.
 *
 * @param starts begins of all points in milliseconds since 1970
 */
export function activityLink(starts: readonly number[], { first, last }: PulseSpan): string {
  const [from, to] = [starts[first], starts[last + 1]]
  const search = new URLSearchParams()
  if (from !== undefined) search.set('from', new Date(from).toISOString())
  if (to !== undefined) search.set('to', new Date(to).toISOString())
  return `/runs?${search}`
}
