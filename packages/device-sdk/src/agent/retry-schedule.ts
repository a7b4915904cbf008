import { backoffMs } from './backoff.ts'

/** When a thing that failed may be tried again, each thing for itself. */
export interface RetrySchedule {
  /** Notes a failure and gives the pause in milliseconds. */
  fail(id: string, retryAfterMs?: number): number
  /** Milliseconds until `id` may be tried; 0 when it may. */
  waitMs(id: string): number
  forget(id: string): void
  /** Forgets everything that is not in `ids`, so memory stays bounded. */
  keepOnly(ids: ReadonlySet<string>): void
}

export function createRetrySchedule(now: () => number, random: () => number): RetrySchedule {
  const retries = new Map<string, { failures: number; atMs: number }>()
  return {
    fail(id, retryAfterMs) {
      const failures = (retries.get(id)?.failures ?? 0) + 1
      const pauseMs = backoffMs({ failures, retryAfterMs, random })
      retries.set(id, { failures, atMs: now() + pauseMs })
      return pauseMs
    },
    waitMs: (id) => Math.max(0, (retries.get(id)?.atMs ?? 0) - now()),
    forget: (id) => void retries.delete(id),
    keepOnly(ids) {
      for (const id of retries.keys()) if (!ids.has(id)) retries.delete(id)
    },
  }
}
