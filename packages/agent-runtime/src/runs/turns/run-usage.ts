import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { UsedTokens } from '../../budgets/create-call-meter.ts'
import { promptTokens } from '../../files/load-prompt-files.ts'
import { costOf } from '../../budgets/prices.ts'
import { countUsage, type ActiveRun } from '../active-run.ts'
import { countedTokens } from './counted-tokens.ts'
import { endModelSpan } from '../trace/model-spans.ts'
import { turnText, type ModelTurn } from './model-turn.ts'
import type { RunsContext } from '../runs-options.ts'

/** A model call that is over, or was stopped. */
export interface ModelCallUsage {
  readonly turn: ModelTurn
  /** What the model read. */
  readonly prompt: LanguageModelV4Prompt
  /** When it began, in milliseconds since the epoch. */
  readonly startedAtMs: number
  /** @default false */
  readonly wasStopped?: boolean
  /** Why it was stopped, without secrets. */
  readonly error?: string | undefined
}

type Estimate = Pick<RunsContext, 'estimateTokens'>

/**
 * Adds what a model call used: also one that was stopped. What the provider does not tell, as for a call that was
 * stopped, or tells by what is no number of tokens, is estimated.
 */
export function addUsage(
  context: RunsContext,
  run: ActiveRun,
  { turn, prompt, startedAtMs, wasStopped = false, error }: ModelCallUsage,
): void {
  const why = error === undefined ? {} : { error }
  if (wasStopped && !turn.hasBegun && !turn.usage) return endModelSpan(run, context.timestamp(), why)
  const counted = tokensOf(context, turn)
  const { input = promptTokens(context.estimateTokens, prompt), output } = counted
  const { cacheRead, cacheWrite } = counted
  const reasoning = countedTokens(turn.usage?.outputTokens.reasoning)
  const used = {
    input_tokens: input,
    output_tokens: output,
    ...(cacheRead && { cached_input_tokens: cacheRead }),
    ...(cacheWrite && { cache_write_input_tokens: cacheWrite }),
    ...(reasoning && { reasoning_tokens: reasoning }),
  }
  const cost = costOf(context.priceOf(run.chain.current.name), used)
  countUsage(run, used, cost)
  endModelSpan(run, context.timestamp(), { usage: used, cost, ...why })
  run.log.push({ event: 'usage', data: { ...run.usage } })
  run.writer.note('model.completed', {
    agent_id: run.run.agentId,
    model: run.chain.current.name,
    ...used,
    ...(!cost.isPartial && { cost_usd: cost.microUsd / 1_000_000 }),
    duration_ms: Math.max(0, context.now() - startedAtMs),
    finish: wasStopped ? 'stopped' : (turn.finish ?? 'unknown'),
  })
}

/**
 * Tokens of a model call. `input` is undefined if the provider did not count it. It includes what the cache gave and got, also
 * of a provider that counts that apart.
 */
export function tokensOf({ estimateTokens }: Estimate, turn: ModelTurn): UsedTokens {
  const { inputTokens, outputTokens } = turn.usage ?? {}
  // no prompt has no tokens: some servers report 0 for what they do not count
  const total = countedTokens(inputTokens?.total) || undefined
  const cacheRead = countedTokens(inputTokens?.cacheRead) ?? 0
  const cacheWrite = countedTokens(inputTokens?.cacheWrite) ?? 0
  return {
    input: total === undefined ? undefined : Math.max(total, cacheRead + cacheWrite),
    output: countedTokens(outputTokens?.total) || estimateOutput(estimateTokens, turn),
    cacheRead,
    cacheWrite,
  }
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
