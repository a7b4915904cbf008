import { compactHistory } from '../conversations/history-summary.ts'
import type { StoredConversation } from '../store/ports/conversation-store.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { callModel } from './loop/call.ts'
import { createModelChain } from './loop/model-chain.ts'
import { turnText } from './loop/answer.ts'
import { toRunsContext, type RunsOptions } from './runs-options.ts'
import { fewestHistoryTokens, historyTokens } from './loop/history.ts'

/**
 * Builds what sums up a conversation through its agent's model, with the retries and fallbacks of a run, and keeps the
 * summary (A12).
 *
 * The built function throws a {@link RuntimeError}: `not_found` when the agent is gone, `model_not_configured`,
 * `model_error`.
 */
export function createSummarize(
  options: RunsOptions,
): (conversation: StoredConversation, signal?: AbortSignal) => Promise<string> {
  const context = toRunsContext(options)
  return async (conversation, signal = new AbortController().signal) => {
    const agent = await context.agents.find(conversation.agentId, signal)
    if (!agent)
      throw new RuntimeError(
        'not_found',
        'Summarizing a conversation failed: its agent was deleted. Create an agent with the same id.',
      )
    const chain = await createModelChain(context, agent, { settings: agent.model_settings }, signal)
    const redact = await context.redactor()
    const maxTokens = await historyTokens(context, agent, chain.current.name, () => 0)
    return compactHistory({
      store: context.store,
      conversation,
      maxTokens: Math.max(fewestHistoryTokens, maxTokens),
      estimateTokens: context.estimateTokens,
      async ask(prompt) {
        const options = { prompt, abortSignal: signal }
        return turnText(await callModel(context, chain, { options, redact, signal, isSideCall: true }))
      },
      signal,
    })
  }
}
