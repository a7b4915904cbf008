import { backoffMs } from './backoff.ts'

/** When a thing that failed may be tried again, each thing for itself. */
export interface RetrySchedule {
  /** Notes a failure and gives the pause in milliseconds. */
  fail(id: string, retryAfterMs?: number): number
  /** Milliseconds until `id` may be tried; 0 when it may. */
  readonly waitMs: (id: string) => number
  forget(id: string): void
}

/** Things that failed longest ago are forgotten, so memory stays bounded. */
const maxKept = 1000

export function createRetrySchedule(now: () => number, random: () => number): RetrySchedule {
  const retries = new Map<string, { failures: number; atMs: number }>()
  return {
    fail(id, retryAfterMs) {
      const failures = (retries.get(id)?.failures ?? 0) + 1
      const pauseMs = backoffMs({ failures, retryAfterMs, random })
      retries.delete(id)
      retries.set(id, { failures, atMs: now() + pauseMs })
      const [oldest] = retries.keys()
      if (retries.size > maxKept && oldest !== undefined) retries.delete(oldest)
      return pauseMs
    },
    waitMs: (id) => Math.max(0, (retries.get(id)?.atMs ?? 0) - now()),
    forget: (id) => void retries.delete(id),
  }
}
