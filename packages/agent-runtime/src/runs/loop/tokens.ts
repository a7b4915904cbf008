import type { UsedTokens } from '../../budgets/create-call-meter.ts'
import { turnText, type ModelTurn } from './answer.ts'

/** No text has more: what is larger, nobody has counted. */
const mostTokens = 1_000_000_000

/**
 * Tokens as a provider or a host counted them, rounded up: stores keep whole numbers, and sum them up.
 *
 * @returns undefined for what is no number of tokens.
 */
export function countedTokens(count: number | undefined): number | undefined {
  if (typeof count !== 'number' || !(count >= 0 && count <= mostTokens)) return undefined
  return Math.ceil(count)
}

/**
 * Tokens of a model call. `input` is undefined if the provider did not count it. It includes what the cache gave and got, also
 * of a provider that counts that apart.
 */
export function tokensOf(estimateTokens: (text: string) => number, turn: ModelTurn): UsedTokens {
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

function estimateOutput(estimateTokens: (text: string) => number, turn: ModelTurn): number {
  const calls = turn.calls.length > 0 ? JSON.stringify(turn.calls) : ''
  return estimateTokens(turnText(turn) + calls)
}
