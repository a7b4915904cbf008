import { untilAborted } from '@homeward/kit'
import { loadHistory, type History, type HistoryOptions } from '../../conversations/history.ts'
import { compactHistory } from '../../conversations/history-summary.ts'
import type { AssistantPart, ModelMessage } from '../../ports/message.ts'
import { fileTokens } from '../../files/file-tokens.ts'
import { isOwnConversation } from '../../store/own-conversation.ts'
import { filesOf } from '../../store/files-of.ts'
import type { StoredConversation } from '../../store/ports/conversation-store.ts'
import type { AgentToolset } from '../../tools/agent-tools.ts'
import { whileStoreFails } from '../../concurrency/while-store-fails.ts'
import { isUntrusted } from '../calls/is-untrusted.ts'
import { taint, type ActiveRun } from '../active-run.ts'
import { toRunTools, type RunTools } from './run-tools.ts'
import type { RunsContext } from '../runs-options.ts'
import { askOnce } from './ask-once.ts'
import { toSystemMessage } from './system-prompt.ts'
import { toPromptMessage, userMessage } from './to-prompt.ts'
import { fewestHistoryTokens, historyTokens } from '../window/history-tokens.ts'

/** Gives a run its tools and its prompt: system, history, task, and what it did before when it goes on. */
export async function prepareRun(context: RunsContext, run: ActiveRun): Promise<void> {
  const asked = context.tools.forRun(run.agent, run.signal, run.runContext)
  const toolset: AgentToolset = await untilAborted(asked, run.signal)
  const { hosted_tools: hostedTools = [] } = run.agent
  run.tools = toRunTools(toolset, context.logger, hostedTools)
  const systemOf = (history?: History) =>
    toSystemMessage({
      agent: run.agent,
      instructions: toolset.instructions,
      hasTools: toolset.tools.length > 0 || hostedTools.length > 0,
      summary: history?.summary,
      hasLeftOut: (history?.leftOutThrough ?? 0) > 0,
      runInstructions: run.run.setup?.instructions,
      callerInstructions: run.run.instructions,
    })
  const { task, outputSchema } = run.run
  const fixed = () =>
    context.estimateTokens(JSON.stringify([systemOf(), task, run.tools.offered, outputSchema])) +
    filesOf(run.run).reduce((sum, file) => sum + fileTokens(file), 0)
  const maxTokens = await historyTokens(context, run.agent, run.chain.current.name, fixed)
  const history = await whileStoreFails(context, () => loadEarlier(context, run, maxTokens), run.signal)
  const { wireName } = run.tools
  const given = run.run.history ?? []
  if (history && hasReadUntrusted(history, run.tools)) taint(run)
  if (mayQuoteUntrusted(given, run)) taint(run)
  if (filesOf(run.run).length > 0) taint(run)
  run.prompt.push(systemOf(history))
  for (const { message } of history?.messages ?? []) run.prompt.push(toPromptMessage(message, wireName, true))
  for (const message of given) run.prompt.push(toPromptMessage(message, wireName))
  run.taskAt = run.prompt.length
  run.prompt.push(userMessage(run.run.task, run.run.files))
  for (const message of run.writer.messages) run.prompt.push(toPromptMessage(message, wireName))
}

async function loadEarlier(
  context: RunsContext,
  run: ActiveRun,
  maxTokens: number,
): Promise<History | undefined> {
  const conversation = await context.store.findConversation(run.run.conversationId, run.signal)
  if (!conversation || conversation.messageCount === 0) return undefined
  // Somebody else may have begun it since the run was asked for.
  if (!isOwnConversation(conversation, run.run)) return undefined
  const options = {
    maxTokens,
    estimateTokens: context.estimateTokens,
    beforeSeq: run.run.questionSeq,
  }
  const history = await loadHistory(context.store, conversation, options, run.signal)
  const isCovered = history.leftOutThrough <= conversation.summarizedSeq
  if (isCovered || !context.compaction || maxTokens < fewestHistoryTokens) return history
  return (await compact(context, run, conversation, options)) ?? history
}

/** What does not fit any more is summed up, half a budget at a time, so that it is not done for every message. */
async function compact(
  context: RunsContext,
  run: ActiveRun,
  conversation: StoredConversation,
  options: HistoryOptions,
): Promise<History | undefined> {
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
      ask: (prompt) => askOnce(context, run, prompt),
      signal: run.signal,
    })
    const fresh = (await store.findConversation(conversation.id, run.signal)) ?? conversation
    return await loadHistory(store, fresh, options, run.signal)
  } catch (error) {
    run.signal.throwIfAborted()
    context.logger.warn('Summarizing a conversation failed', {
      conversationId: conversation.id,
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
    if (message.role === 'assistant') return message.parts.some(({ type }) => foreignParts.has(type))
    // a call of a tool that there never was brought in nothing
    return message.results.some((result) => {
      const tool = tools.byId.get(result.name)
      return tool === undefined ? result.error === undefined : isUntrusted(tool, result)
    })
  })
}

/**
 * Whether earlier answers that the request brought along may quote what a stranger made (A20). A request shows the text of
 * an answer, not the tool results behind it. An agent with a tool whose results are untrusted may have read some for it,
 * so the answer counts as untrusted. The caller's own messages are trusted, as the task is.
 */
function mayQuoteUntrusted(given: readonly ModelMessage[], { tools, agent }: ActiveRun): boolean {
  if (!given.some(({ role }) => role === 'assistant')) return false
  if (agent.hosted_tools?.length) return true
  return [...tools.byId.values()].some(({ untrusted }) => untrusted)
}
