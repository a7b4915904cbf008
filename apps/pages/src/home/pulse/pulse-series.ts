import type { Run, RunStatus } from '@homeward/contract/agent-platform'
import { pageLocale } from '../../components/text/page-locale.ts'

/** The time that the pulse shows. */
export type PulseRange = 'day' | 'week'

/** What the pulse needs of a run. */
export interface PulseRun {
  readonly createdAt: string
  readonly status: RunStatus
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

/** Runs over time, and all of them together. */
export interface Pulse {
  readonly points: readonly PulsePoint[]
  /** Time in which 95 of 100 ended runs were done, without their waits; undefined without one. */
  readonly p95Ms: number | undefined
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

/** Counts runs by when they began. */
export function toPulse(runs: readonly PulseRun[], starts: readonly number[]): Pulse {
  const none = { completed: 0, failed: 0, cancelled: 0, open: 0 }
  const points = starts.map((startMs) => ({ startMs, ...none }))
  const durations: number[] = []
  for (const { createdAt, status, durationMs, waitedMs: waited } of runs) {
    const point = points.findLast(({ startMs }) => startMs <= Date.parse(createdAt))
    if (!point) continue
    const result = status === 'running' || status === 'waiting' ? 'open' : status
    point[result] += 1
    if (result !== 'open' && durationMs !== undefined) durations.push(Math.max(0, durationMs - waited))
  }
  const sorted = durations.toSorted((one, other) => one - other)
  return { points, p95Ms: sorted[Math.ceil(sorted.length * 0.95) - 1] }
}

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

/** What the results of runs are called. */
export const resultNames: Readonly<Record<Result, string>> = {
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Canceled',
  open: 'Running or waiting',
}
