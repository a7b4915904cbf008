import type { ActiveRun } from './active-run.ts'
import { turnText, type ModelTurn } from './model-turn.ts'
import type { RunsContext } from './runs-options.ts'

/**
 * Adds what a model call used. What the provider does not tell, as for a call that was stopped, is estimated: it was
 * used all the same.
 */
export function addUsage(context: RunsContext, run: ActiveRun, turn: ModelTurn, wasStopped = false): void {
  if (wasStopped && !turn.hasBegun && !turn.usage) return
  const { inputTokens, outputTokens } = turn.usage ?? {}
  const cached = inputTokens?.cacheRead ?? 0
  run.usage.input_tokens += inputTokens?.total ?? context.estimateTokens(JSON.stringify(run.prompt))
  run.usage.output_tokens += outputTokens?.total ?? estimateOutput(context, turn)
  if (cached > 0) run.usage.cached_input_tokens = (run.usage.cached_input_tokens ?? 0) + cached
  run.log.push({ event: 'usage', data: { ...run.usage } })
}

function estimateOutput(context: RunsContext, turn: ModelTurn): number {
  const calls = turn.calls.length > 0 ? JSON.stringify(turn.calls) : ''
  return context.estimateTokens(turnText(turn) + calls)
}

/** Output tokens that are left for the run; undefined without a limit. */
export function tokensLeft(run: ActiveRun): number | undefined {
  const limit = run.run.limits.max_tokens
  return limit === undefined ? undefined : limit - run.usage.output_tokens
}
