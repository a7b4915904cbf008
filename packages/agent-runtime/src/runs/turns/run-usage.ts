import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { JsonObject, Usage } from '@homeward/contract/agent-platform'
import { note, type ActiveRun } from '../active-run.ts'
import { countedTokens } from './counted-tokens.ts'
import { turnText, type ModelTurn } from './model-turn.ts'
import type { RunsContext } from '../runs-options.ts'

/**
 * What a model call has used. What the provider does not tell, as for a call that was stopped, or tells by what is no
 * number of tokens, is estimated.
 */
export function usageOf(
  { estimateTokens }: RunsContext,
  prompt: LanguageModelV4Prompt,
  turn: ModelTurn,
): Usage {
  const { inputTokens, outputTokens } = turn.usage ?? {}
  const cached = countedTokens(inputTokens?.cacheRead) ?? 0
  const usage: Usage = {
    input_tokens: countedTokens(inputTokens?.total) ?? estimateTokens(JSON.stringify(prompt)),
    output_tokens: countedTokens(outputTokens?.total) ?? estimateOutput(estimateTokens, turn),
  }
  if (cached > 0) usage.cached_input_tokens = cached
  return usage
}

/** Adds what a model call used: also one that was stopped. */
export function addUsage(
  context: RunsContext,
  run: ActiveRun,
  turn: ModelTurn,
  wasStopped = false,
  prompt: LanguageModelV4Prompt = run.prompt,
): void {
  if (wasStopped && !turn.hasBegun && !turn.usage) return
  const { input_tokens, output_tokens, cached_input_tokens: cached = 0 } = usageOf(context, prompt, turn)
  run.usage.input_tokens += input_tokens
  run.usage.output_tokens += output_tokens
  if (cached > 0) run.usage.cached_input_tokens = (run.usage.cached_input_tokens ?? 0) + cached
  run.log.push({ event: 'usage', data: { ...run.usage } })
  const data: JsonObject = {
    agent_id: run.run.agentId,
    model: run.chain.current.name,
    input_tokens,
    output_tokens,
    duration_ms: Math.max(0, context.now() - run.turnStartedAtMs),
    finish: wasStopped ? 'stopped' : (turn.finish ?? 'unknown'),
  }
  if (cached > 0) data['cached_input_tokens'] = cached
  note(run, 'model.completed', context.timestamp(), data)
}

function estimateOutput(estimateTokens: RunsContext['estimateTokens'], turn: ModelTurn): number {
  const calls = turn.calls.length > 0 ? JSON.stringify(turn.calls) : ''
  return estimateTokens(turnText(turn) + calls)
}

/** Output tokens that are left for the run; undefined without a limit. */
export function tokensLeft(run: ActiveRun): number | undefined {
  const limit = run.run.limits.max_tokens
  return limit === undefined ? undefined : limit - run.usage.output_tokens
}
