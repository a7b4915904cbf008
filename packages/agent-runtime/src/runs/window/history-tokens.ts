import type { Agent } from '@homeward/contract/agent-platform'
import type { RunsContext } from '../runs-options.ts'
import { answerReserve } from './fit-prompt.ts'

/** A history of fewer tokens is not worth summing up. */
export const fewestHistoryTokens = 256

/**
 * Tokens that earlier messages of a conversation may take: those of the agent or the platform, and at most half of what the
 * window leaves, so that the run itself has room.
 *
 * @param fixedTokens tokens of the system prompt, the tools and the task, which are always sent
 */
export async function historyTokens(
  { historyTokens: byDefault, windows }: Pick<RunsContext, 'historyTokens' | 'windows'>,
  agent: Pick<Agent, 'context'>,
  model: string,
  fixedTokens: () => number,
): Promise<number> {
  const wanted = agent.context?.history_tokens ?? byDefault
  const window = await windows.of(model, agent)
  if (!window) return wanted
  const room = window.tokens - answerReserve(window) - fixedTokens()
  return Math.max(0, Math.min(wanted, Math.floor(room / 2)))
}
