import type { Timers } from '@homeward/kit'

/** Timestamp as the cloud writes it. */
export const toTimestamp = (ms: number) => new Date(ms).toISOString()

/** Before it years have no four digits, and text no longer sorts like time. */
export const firstMs = Date.UTC(1000, 0, 1)

/** Behind it years have five digits, and text no longer sorts like time. */
export const lastMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** A clock that gives timestamps: a busy cloud reads it many times within one millisecond, and writes it out once. */
export function createTimestampClock(now: () => number): () => { readonly ms: number; readonly at: string } {
  let last = { ms: Number.NaN, at: '' }
  return () => {
    const ms = now()
    if (ms !== last.ms) last = { ms, at: toTimestamp(ms) }
    return last
  }
}

/** A moment as stored ones are written, to compare it with them. Fractions of a millisecond are dropped. */
export function toUtc(moment: string): string {
  return toTimestamp(Math.min(Date.parse(moment), lastMs))
}

/** Timers that do not keep a process alive, where the platform knows that. */
export const quietTimers: Timers = {
  setTimeout(run, ms) {
    const timer: unknown = setTimeout(run, ms)
    ;(timer as { unref?: () => void }).unref?.()
    return timer
  },
  // It takes what the function above returned.
  clearTimeout: (timer) => clearTimeout(timer as number),
}
