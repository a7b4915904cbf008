/** What a back-off depends on. */
export interface BackoffInput {
  /** Failures in a row, this one included: 1 for the first. */
  readonly failures: number
  /** Milliseconds that the other side asked for, for example in `Retry-After`. */
  readonly retryAfterMs?: number | undefined
  /** Pause after the first failure, in milliseconds; it doubles with each further one. @default 5000 */
  readonly baseMs?: number
  /** Largest pause before jitter, in milliseconds. @default 120000 */
  readonly capMs?: number
  /**
   * Factors between which chance stretches a pause that was not asked for; `[1, 1]` leaves it as it is.
   * @default [0.5, 1.5]
   */
  readonly spread?: readonly [from: number, to: number]
  /** Most milliseconds between the shortest and the longest choice. @default no limit */
  readonly maxSpreadMs?: number
  /** A number from 0 to 1. @default Math.random */
  readonly random?: () => number
}

/**
 * Milliseconds to wait after a failure.
 *
 * `d = min(cap, base · 2^(failures - 1))`, then `d × U(0.5, 1.5)`. With `Retry-After`:
 * `max(Retry-After, d) × U(1, 1.25)`. The cap comes before the jitter: the other way round a whole fleet that
 * reached the cap would return in the same second.
 *
 * @example
 * await sleep(backoffMs({ failures, retryAfterMs: error.retryAfterMs }), signal)
 */
export function backoffMs(input: BackoffInput): number {
  const { random = Math.random } = input
  const { fromMs, toMs } = backoffRange(input)
  return fromMs + random() * (toMs - fromMs)
}

/** The range from which {@link backoffMs} chooses. */
export function backoffRange(input: BackoffInput): { readonly fromMs: number; readonly toMs: number } {
  const { failures, retryAfterMs, baseMs = 5000, capMs = 120_000, maxSpreadMs = Infinity } = input
  const pauseMs = Math.min(capMs, baseMs * 2 ** Math.max(0, failures - 1))
  const [from, to] = retryAfterMs === undefined ? (input.spread ?? [0.5, 1.5]) : [1, 1.25]
  const leastMs = Math.max(retryAfterMs ?? 0, pauseMs)
  return { fromMs: leastMs * from, toMs: Math.min(leastMs * to, leastMs * from + maxSpreadMs) }
}

/** An ordinary interval with ±10 % jitter, so that a fleet that started together drifts apart. */
export function jitterMs(intervalMs: number, random: () => number = Math.random): number {
  return intervalMs * (0.9 + random() / 5)
}
