import { compactHistory } from '../../conversations/history-summary.ts'
import { loadHistory, type History, type HistoryOptions } from '../../conversations/history.ts'
import { whileStoreFails } from '../../concurrency/while-store-fails.ts'
import type { Agent } from '@homeward/contract/agent-platform'
import type { AssistantPart } from '../../ports/message.ts'
import { isOwnConversation, shownId } from '../../store/own-conversation.ts'
import type { StoredConversation } from '../../store/ports/conversation-store.ts'
import { isUntrusted } from '../calls/make-calls.ts'
import type { RunsContext } from '../runs-options.ts'
import { answerReserve } from '../window/fit-prompt.ts'
import { askOnce } from './ask-model.ts'
import type { RunTools } from './prompt.ts'
import type { Run } from './run.ts'

/**
 * Loads what a run reads of its conversation, and taints the run if that may come from a stranger.
 *
 * @param fixedTokens tokens of what is always sent
 * @returns undefined for nothing
 */
export async function readHistory(run: Run, fixedTokens: () => number): Promise<History | undefined> {
  const { context, signal, row } = run
  if (row.questionSeq === 1) return undefined
  const find = () => context.store.findConversation(row.conversationId, signal)
  const conversation = await whileStoreFails(context, find, signal)
  if (!conversation || conversation.messageCount === 0) return undefined
  // Somebody else may have begun it since the run was asked for.
  if (!isOwnConversation(conversation, row)) return undefined
  const maxTokens = await historyTokens(context, run.agent, run.chain.current.name, fixedTokens)
  const history = await whileStoreFails(context, () => loadEarlier(run, conversation, maxTokens), signal)
  if (hasReadUntrusted(history, run.tools)) run.taint()
  return history
}

async function loadEarlier(run: Run, conversation: StoredConversation, maxTokens: number): Promise<History> {
  const { context } = run
  const options = {
    maxTokens,
    estimateTokens: context.estimateTokens,
    beforeSeq: run.row.questionSeq,
    listOpenRuns: () => listOpenRuns(run),
  }
  const history = await loadHistory(context.store, conversation, options, run.signal)
  const isCovered = history.leftOutThrough <= conversation.summarizedSeq
  if (isCovered || !context.compaction || maxTokens < fewestHistoryTokens) return history
  return (await compact(run, conversation, options)) ?? history
}

/** Runs of the conversation that have not ended, the newest of them. */
async function listOpenRuns({ context, signal, row }: Run): Promise<ReadonlySet<string>> {
  const { conversationId } = row
  const [running, waiting] = await Promise.all(
    (['running', 'waiting'] as const).map((status) =>
      context.store.listRuns({ conversationId, status }, { limit: 100 }, signal),
    ),
  )
  return new Set([...(running?.rows ?? []), ...(waiting?.rows ?? [])].map(({ id }) => id))
}

/** What does not fit any more is summed up, half a budget at a time, so that it is not done for every message. */
async function compact(
  run: Run,
  conversation: StoredConversation,
  options: HistoryOptions,
): Promise<History | undefined> {
  const { context } = run
  const { store, estimateTokens } = context
  const { maxTokens } = options
  try {
    const half = { ...options, maxTokens: maxTokens / 2 }
    const near = await loadHistory(store, conversation, half, run.signal)
    await compactHistory({
      store,
      conversation,
      throughSeq: near.leftOutThrough,
      maxTokens,
      estimateTokens,
      ask: (prompt) => askOnce(run, prompt),
      signal: run.signal,
    })
    const fresh = (await store.findConversation(conversation.id, run.signal)) ?? conversation
    return await loadHistory(store, fresh, options, run.signal)
  } catch (error) {
    run.signal.throwIfAborted()
    context.logger.warn('Summarizing a conversation failed', {
      conversationId: shownId(conversation.id),
      error: String(error),
    })
    return undefined
  }
}

/** Parts of an answer that a page on the web may have written. */
const foreignParts: ReadonlySet<string> = new Set<AssistantPart['type']>(['source', 'hosted_result'])

/**
 * Whether earlier turns brought in content that a stranger may have made: results of tools that are untrusted, or are
 * not known any more, files, and tasks that a tainted run gave. A summary may stand for such content too.
 */
function hasReadUntrusted(history: History, tools: RunTools): boolean {
  if (history.leftOutThrough > 0) return true
  return history.messages.some(({ message }) => {
    if (message.role === 'user') return message.untrusted === true || message.files !== undefined
    if (message.role === 'assistant')
      return message.untrusted === true || message.parts.some(({ type }) => foreignParts.has(type))
    // a call of a tool that there never was brought in nothing
    return message.results.some((result) => {
      const tool = tools.byId.get(result.name)
      return tool === undefined ? result.error === undefined : isUntrusted(tool, result)
    })
  })
}

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
