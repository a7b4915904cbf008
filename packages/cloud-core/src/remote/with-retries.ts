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
      await pause(delayMs(policy, failures, error.retryAfterMs), signal)
    }
  }
}

function delayMs({ firstDelayMs, random }: RetryPolicy, failures: number, retryAfterMs?: number): number {
  const backoffMs = Math.min(maxDelayMs, firstDelayMs * 2 ** (failures - 1))
  if (retryAfterMs === undefined) return backoffMs * (0.5 + random())
  // never sooner than was asked for, and not all that were told so in the same moment: they would be refused again
  return Math.max(retryAfterMs, backoffMs) * (1 + random() / 4)
}

/** Waits; rejects with the signal's reason when that aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(signal.reason as Error)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort)
      resolve()
    }, ms)
    signal.addEventListener('abort', abort, { once: true })
    if (signal.aborted) abort()
  })
}
