/** Input of a back-off. */
export interface BackoffInput {
  /** Failures in a row, including this one: 1 for the first failure. */
  readonly failures: number
  /** Delay that the server requested in milliseconds, for example by `Retry-After`. */
  readonly retryAfterMs?: number | undefined
  /** Delay after the first failure, in milliseconds. The delay doubles with each further failure. @default 5000 */
  readonly baseMs?: number
  /** Largest delay before jitter, in milliseconds. @default 120000 */
  readonly capMs?: number
  /**
   * Lowest and highest random factor of the delay, without `Retry-After`; `[1, 1]` means no jitter.
   *
   * @default [0.5, 1.5]
   */
  readonly spread?: readonly [from: number, to: number]
  /** Maximum difference between the shortest and the longest delay, in milliseconds. @default no limit */
  readonly maxSpreadMs?: number
  /** Returns a random number from 0 to 1. @default Math.random */
  readonly random?: () => number
}

/**
 * Returns the milliseconds to wait after a failure.
 *
 * `d = min(cap, base · 2^(failures - 1))`, then `d × U(0.5, 1.5)`. With `Retry-After`: `max(Retry-After, d) × U(1,
 * 1.25)`. The cap comes before the jitter, because otherwise all devices that reached the cap would retry in the same
 * second.
 *
 * @example
 * await sleep(backoffMs({ failures, retryAfterMs: error.retryAfterMs }), signal)
 */
export function backoffMs(input: BackoffInput): number {
  const { random = Math.random } = input
  const { fromMs, toMs } = backoffRange(input)
  return fromMs + random() * (toMs - fromMs)
}

/** Returns the range from which {@link backoffMs} chooses. */
export function backoffRange(input: BackoffInput): { readonly fromMs: number; readonly toMs: number } {
  const { failures, retryAfterMs, baseMs = 5000, capMs = 120_000, maxSpreadMs = Infinity } = input
  const pauseMs = Math.min(capMs, baseMs * 2 ** Math.max(0, failures - 1))
  const [from, to] = retryAfterMs === undefined ? (input.spread ?? [0.5, 1.5]) : [1, 1.25]
  const leastMs = Math.max(retryAfterMs ?? 0, pauseMs)
  return { fromMs: leastMs * from, toMs: Math.min(leastMs * to, leastMs * from + maxSpreadMs) }
}

/** Returns an interval with ±10 % jitter, so that devices that started together drift apart. */
export function jitterMs(intervalMs: number, random: () => number = Math.random): number {
  return intervalMs * (0.9 + random() / 5)
}
