import { untilAborted } from '@homeward/kit'
import type { RunRequest } from '@homeward/contract/agent-platform'
import { cut } from '../json/to-json.ts'
import { reasonOf } from '../ports/reason-of.ts'
import type { EvalCase } from './eval-case.ts'
import type { EvalAttempt, EvalScore } from './eval-report.ts'
import { readCalls } from './read-calls.ts'
import type { EvalRuntime, Scorer, ScoredAttempt } from './scorer.ts'

const maxReason = 2000

/** What an attempt needs besides its case. */
export interface AttemptContext {
  readonly runtime: EvalRuntime
  readonly agent: string | undefined
  readonly scorers: readonly Scorer[]
  readonly now: () => number
  readonly signal: AbortSignal
}

/** Runs a case once and scores what came of it. Whatever goes wrong with it is part of the attempt. @throws the signal's reason */
export async function runAttempt(context: AttemptContext, given: EvalCase): Promise<EvalAttempt> {
  const { runtime, signal, now } = context
  const startedAtMs = now()
  const scorers = [...context.scorers, ...(given.scorers ?? [])]
  try {
    const result = await runtime.run(toRequest(context, given), { signal })
    const durationMs = Math.max(0, now() - startedAtMs)
    signal.throwIfAborted()
    // nobody will decide
    if (result.stop_reason === 'approval') await runtime.runs.cancel(result.run_id)
    const calls = await readCalls(runtime, result.run_id, signal)
    const attempt: ScoredAttempt = { case: given, result, calls, durationMs, runtime }
    const scores = await Promise.all(scorers.map((scorer) => scoreBy(scorer, attempt, signal)))
    signal.throwIfAborted()
    const { run_id: runId, output, usage, stop_reason: stopReason, error } = result
    const passed = error === undefined && scores.every((score) => score.passed)
    const failed = error !== undefined && { error }
    return { runId, output, stopReason, ...failed, durationMs, usage, scores, passed }
  } catch (error) {
    signal.throwIfAborted()
    const reason = cut(reasonOf(error), maxReason)
    const scores = scorers.map(({ name }): EvalScore => ({ scorer: name, value: 0, passed: false }))
    return {
      output: '',
      error: reason,
      durationMs: Math.max(0, now() - startedAtMs),
      scores,
      passed: false,
    }
  }
}

function toRequest({ agent }: AttemptContext, given: EvalCase): RunRequest {
  const { name: _, expected: __, scorers: ___, agent_id, store, ...request } = given
  return { ...request, agent_id: agent_id ?? agent ?? '', store: store ?? false }
}

async function scoreBy(scorer: Scorer, attempt: ScoredAttempt, signal: AbortSignal): Promise<EvalScore> {
  const { name } = scorer
  try {
    const scoring = Promise.resolve(scorer.score(attempt, signal))
    const { value, passed = value === 1, reason } = await untilAborted(scoring, signal)
    if (!(value >= 0 && value <= 1))
      throw new Error(`Scoring failed: "value" must be between 0 and 1, got ${value}.`)
    return {
      scorer: name,
      value,
      passed,
      ...(reason !== undefined && { reason: cut(reason, maxReason) }),
    }
  } catch (error) {
    return {
      scorer: name,
      value: 0,
      passed: false,
      reason: cut(reasonOf(error), maxReason),
      failed: true,
    }
  }
}
