import type { RunResult, Usage } from '@homeward/contract/agent-platform'
import { rateOf, type EvalRate } from './wilson.ts'

/** Score of one scorer for one attempt. */
export interface EvalScore {
  readonly scorer: string
  /** From 0 to 1. */
  readonly value: number
  readonly passed: boolean
  readonly reason?: string
  /** True if the scorer itself failed. Absent otherwise. */
  readonly failed?: true
}

/** One run of a case, with its scores. */
export interface EvalAttempt {
  /** Absent if the run did not start. */
  readonly runId?: string
  readonly output: string
  readonly stopReason?: RunResult['stop_reason']
  /** Present if the run failed or did not start. Such an attempt does not pass. */
  readonly error?: string
  readonly durationMs: number
  /** Absent if the run did not start. */
  readonly usage?: Usage
  readonly scores: readonly EvalScore[]
  /** Whether the run did not fail and every score passes. */
  readonly passed: boolean
}

/** Number of attempts that a scorer passed. */
export interface EvalScorerReport {
  readonly name: string
  readonly passes: EvalRate
  /** Mean of the values. */
  readonly mean: number
}

/** Result of a case. */
export interface EvalCaseReport {
  readonly name: string
  readonly passes: EvalRate
  readonly scorers: readonly EvalScorerReport[]
  readonly attempts: readonly EvalAttempt[]
}

/** Report of evals, as plain JSON. Write it to a file to compare it later. */
export interface EvalReport {
  /** ISO 8601 text in UTC. */
  readonly startedAt: string
  readonly durationMs: number
  /** Passed attempts of all cases. The interval applies to these cases, not to others. */
  readonly passes: EvalRate
  readonly scorers: readonly EvalScorerReport[]
  /** Results in the order of the cases. */
  readonly cases: readonly EvalCaseReport[]
}

/** Puts the attempts of a case together. */
export function toCaseReport(name: string, attempts: readonly EvalAttempt[]): EvalCaseReport {
  return { name, passes: passesOf(attempts), scorers: toScorerReports(attempts), attempts }
}

/** Puts the cases together. */
export function toReport(
  startedAtMs: number,
  endedAtMs: number,
  cases: readonly EvalCaseReport[],
): EvalReport {
  const attempts = cases.flatMap((one) => one.attempts)
  return {
    startedAt: new Date(startedAtMs).toISOString(),
    durationMs: Math.max(0, endedAtMs - startedAtMs),
    passes: passesOf(attempts),
    scorers: toScorerReports(attempts),
    cases,
  }
}

const passesOf = (all: readonly { readonly passed: boolean }[]): EvalRate =>
  rateOf(all.filter(({ passed }) => passed).length, all.length)

function toScorerReports(attempts: readonly EvalAttempt[]): EvalScorerReport[] {
  const scores = attempts.flatMap((attempt) => attempt.scores)
  return [...Map.groupBy(scores, ({ scorer }) => scorer)].map(([name, own]) => ({
    name,
    passes: passesOf(own),
    mean: own.reduce((sum, { value }) => sum + value, 0) / own.length,
  }))
}
