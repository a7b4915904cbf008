import { backoffMs, sleep } from '@homeward/kit'
import { RemoteFailure } from './remote-failure.ts'

/** How requests are repeated. */
export interface RetryPolicy {
  /** How often a request is sent at most. */
  readonly attempts: number
  /** Milliseconds before the first repeat; doubled for each further one, 20 s at most. */
  readonly firstDelayMs: number
  /** A number from 0 to 1. */
  readonly random: () => number
}

const maxDelayMs = 20_000
/** A service that asks for more than this is treated as down. */
const longestRetryAfterMs = 60_000

/** Runs `request` again after failures that are about the moment. Rejects with the last failure, or `signal.reason`. */
export async function withRetries<T>(
  policy: RetryPolicy,
  signal: AbortSignal,
  request: () => Promise<T>,
): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await request()
    } catch (error) {
      if (signal.aborted) throw signal.reason
      if (!(error instanceof RemoteFailure) || !error.transient || failures >= policy.attempts) throw error
      if ((error.retryAfterMs ?? 0) > longestRetryAfterMs) throw error
      const { firstDelayMs: baseMs, random } = policy
      const { retryAfterMs } = error
      await sleep(backoffMs({ failures, retryAfterMs, baseMs, capMs: maxDelayMs, random }), signal)
      signal.throwIfAborted()
    }
  }
}
