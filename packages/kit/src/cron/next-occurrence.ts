import type { CronTimes } from './cron-times.ts'
import { nextLocalTime } from './cron-times.ts'
import type { ZoneClock } from './zone-clock.ts'

const hourMs = 3_600_000
/** More than any clock is away from UTC, and than any change moves it. */
const reachMs = 28 * hourMs

/**
 * Returns the first time of a schedule after an instant, both in milliseconds since the epoch.
 *
 * @returns undefined if the schedule has no later time.
 */
export function nextOccurrence(times: CronTimes, clock: ZoneClock, after: number): number | undefined {
  return times.hours.includes('0') ? nextOnce(times, clock, after) : nextEvenly(times, clock, after)
}

/** Of schedules with certain hours: each local time once, at the first instant at which the clock has reached it. */
function nextOnce(times: CronTimes, clock: ZoneClock, after: number): number | undefined {
  let local = after + clock.offsetAt(after)
  for (;;) {
    const next = nextLocalTime(times, local)
    if (next === undefined) return undefined
    const instant = toInstant(clock, next)
    // not so where the clock was put back lately: it has shown that time before
    if (instant > after) return instant
    local = next
  }
}

/** First instant at which a clock shows a time or, where that is left out, a later one. */
function toInstant(clock: ZoneClock, local: number): number {
  const start = local - reachMs
  let offset = clock.offsetAt(start)
  let since = start
  for (const { at, after } of clock.changes(start, local + reachMs)) {
    if (local - offset < at) break
    offset = after
    since = at
  }
  return Math.max(local - offset, since)
}

/**
 * Of schedules that run in every hour: whenever the clock shows a time of it, so that they go on evenly while the clock
 * is put forward by whole hours or back. Only where it is put forward by a part of an hour a time would be missing.
 */
function nextEvenly(times: CronTimes, clock: ZoneClock, after: number): number | undefined {
  let offset = clock.offsetAt(after)
  let shown = after + offset
  let since = after
  for (;;) {
    const local = nextLocalTime(times, shown)
    if (local === undefined) return undefined
    const [change] = clock.changes(since, local - offset)
    if (change === undefined) return local - offset
    const isLeftOut = local < change.at + change.after
    if (isLeftOut && (change.after - change.before) % hourMs !== 0) return change.at
    offset = change.after
    shown = change.at + offset - 1
    since = change.at
  }
}
