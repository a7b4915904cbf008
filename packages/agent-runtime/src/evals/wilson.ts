/** Share of passed attempts. */
export interface EvalRate {
  readonly passed: number
  readonly total: number
  /** `passed / total`; 0 without attempts. */
  readonly rate: number
  /** Lower end of the 95% Wilson score interval. */
  readonly low: number
  /** Upper end of the 95% Wilson score interval. */
  readonly high: number
}

/** Standard deviations on either side of the mean that hold 95% of a normal distribution. */
const z = 1.959963984540054

/**
 * The share of attempts that passed, with its 95% Wilson score interval. Unlike the usual `p ± 2σ` it is right for few attempts, and
 * for shares near 0 and 1: 5 of 5 is not "surely 100%", but 57% to 100%.
 */
export function rateOf(passed: number, total: number): EvalRate {
  if (total === 0) return { passed, total, rate: 0, low: 0, high: 1 }
  const rate = passed / total
  const spread = z ** 2 / total
  const middle = (rate + spread / 2) / (1 + spread)
  const half = (z * Math.sqrt((rate * (1 - rate)) / total + spread / (4 * total))) / (1 + spread)
  // at the ends rounding would leave a trace of the other side
  const low = passed === 0 ? 0 : Math.max(0, middle - half)
  const high = passed === total ? 1 : Math.min(1, middle + half)
  return { passed, total, rate, low, high }
}
