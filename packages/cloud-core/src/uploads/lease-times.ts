import { lastMs, toTimestamp } from '../context/time.ts'

/** How long an attempt may do without renewing its lease (C4). */
export const leaseMs = 10 * 60 * 1000

/** Whether a lease that was taken at `takenMs` is due again; also when the clock was put back, which ends it. */
export function isDue(takenMs: number, nowMs: number, everyMs: number): boolean {
  return Math.abs(nowMs - takenMs) >= everyMs
}

/** Twice the longest lease: clocks of several processes differ. */
const believedMs = 2 * leaseMs

/** The latest end of a lease that is believed at `now`: a later one was written by a clock that was put back since. */
export function latestLeaseEnd(now: string): string {
  return toTimestamp(Math.min(Date.parse(now) + believedMs, lastMs))
}

/** What statements compare leases with: a time, and the latest end of a lease that is believed then. */
export interface LeaseTimes {
  now: string
  latestLease: string
}

let newest: Readonly<LeaseTimes> = { now: '', latestLease: '' }

/** The times for statements. A busy cloud asks many times within one millisecond: they are made once. */
export function leaseTimes(now: string): Readonly<LeaseTimes> {
  if (now !== newest.now) newest = { now, latestLease: latestLeaseEnd(now) }
  return newest
}

/** Whether a lease counts at `now`. */
export function isLeaseHeld(leaseUntil: string | null | undefined, now: string): boolean {
  return typeof leaseUntil === 'string' && leaseUntil > now && leaseUntil <= latestLeaseEnd(now)
}
