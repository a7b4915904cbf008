import type { EvalReport } from './eval-report.ts'
import { formatReport, rateText } from './format-report.ts'

/** Options of `toPassEvals`. */
export interface PassEvalsOptions {
  /** Minimum share of passed attempts per case, from 0 to 1. @default 1 */
  readonly rate?: number
  /**
   * Number that must reach `rate`: the share, or the lower end of its 95% interval. The lower end needs many repeats:
   * with 5 of 5 passed it is 0.57.
   *
   * @default 'rate'
   */
  readonly by?: 'rate' | 'low'
}

/** Result of a matcher for Vitest or Jest. */
export interface EvalMatcherResult {
  readonly pass: boolean
  readonly message: () => string
}

/**
 * Type of the matchers, for a declaration in your tests.
 *
 * @example
 * ```ts
 * declare module 'vitest' {
 *   interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown> extends EvalMatchers<R> {}
 * }
 * ```
 */
export interface EvalMatchers<R = void> {
  /** Passes if enough attempts of each case passed. */
  toPassEvals(options?: PassEvalsOptions): R
}

/**
 * Matchers for `expect.extend` of Vitest and Jest.
 *
 * @example
 * ```ts
 * // not run: it is part of a test
 * expect.extend(evalMatchers)
 * expect(await evals.run({ agent: 'support', cases, repeat: 5 })).toPassEvals({ rate: 0.8 })
 * ```
 */
export const evalMatchers = {
  toPassEvals(report: EvalReport, { rate = 1, by = 'rate' }: PassEvalsOptions = {}): EvalMatcherResult {
    const short = report.cases.filter(({ passes }) => passes[by] < rate)
    const wanted = `${by === 'low' ? 'the lower end of the interval of ' : ''}each case to reach ${Math.round(rate * 100)}%`
    return {
      pass: short.length === 0,
      message: () => {
        if (short.length === 0)
          return `Expected not ${wanted}, and every case did: ${rateText(report.passes)}.`
        const names = short.map(({ name }) => `"${name}"`).join(', ')
        return `Expected ${wanted}. ${names} did not.\n\n${formatReport(report)}`
      },
    }
  },
}
