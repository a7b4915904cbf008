import { backoffMs } from '@homeward/kit'

/** When a thing that failed may be tried again, each thing for itself. */
interface RetrySchedule {
  /** Notes a failure and gives the pause in milliseconds. */
  fail(id: string, retryAfterMs?: number): number
  /** Milliseconds until `id` may be tried; 0 when it may. */
  readonly waitMs: (id: string) => number
  forget(id: string): void
}

/** Things that failed longest ago are forgotten, so memory stays bounded. */
const maxKept = 1000

export function createRetrySchedule(now: () => number, random: () => number): RetrySchedule {
  const retries = new Map<string, { failures: number; pauseMs: number; atMs: number }>()
  return {
    fail(id, retryAfterMs) {
      const failures = (retries.get(id)?.failures ?? 0) + 1
      const pauseMs = backoffMs({ failures, retryAfterMs, random })
      retries.delete(id)
      retries.set(id, { failures, pauseMs, atMs: now() + pauseMs })
      const [oldest] = retries.keys()
      if (retries.size > maxKept && oldest !== undefined) retries.delete(oldest)
      return pauseMs
    },
    waitMs(id) {
      const retry = retries.get(id)
      if (!retry) return 0
      const leftMs = retry.atMs - now()
      // More than the whole pause is left only when the clock was set back: then it counts from now.
      if (leftMs > retry.pauseMs) retry.atMs = now() + retry.pauseMs
      return Math.min(retry.pauseMs, Math.max(0, leftMs))
    },
    forget: (id) => void retries.delete(id),
  }
}
