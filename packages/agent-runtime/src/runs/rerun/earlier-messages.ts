import { loadHistory } from '../../conversations/history.ts'
import type { ModelMessage } from '../../ports/message.ts'
import type { StoredAgentRun } from '../../store/ports/run-store.ts'
import { isOwnConversation } from '../../store/own-conversation.ts'
import type { RunsContext } from '../runs-options.ts'

/** Messages of a page. */
const pageSize = 200

/** What a run read of its conversation: the messages before its own turn, as far as they are stored and fit. */
export async function earlierMessages(
  context: RunsContext,
  run: StoredAgentRun,
): Promise<readonly ModelMessage[]> {
  if (run.history) return run.progress.input?.history ?? run.history
  const conversation = await context.store.findConversation(run.conversationId)
  if (!conversation || !isOwnConversation(conversation, run)) return []
  const beforeSeq = run.questionSeq ?? (await firstUnread(context, run))
  const { estimateTokens, historyTokens: maxTokens } = context
  const history = await loadHistory(context.store, conversation, { maxTokens, estimateTokens, beforeSeq })
  return history.messages.map(({ message }) => message)
}

/** Number of the first message that was added after the run had begun; undefined if there is none. */
async function firstUnread({ store }: RunsContext, run: StoredAgentRun): Promise<number | undefined> {
  let first: number | undefined
  let cursor: string | undefined
  do {
    const page = await store.listMessages(run.conversationId, { limit: pageSize, cursor })
    const unread = page.rows.filter(({ runId, createdAt }) => runId === run.id || createdAt > run.createdAt)
    first = Math.min(first ?? Infinity, ...unread.map(({ seq }) => seq))
    cursor = unread.length === page.rows.length ? page.nextCursor : undefined
  } while (cursor !== undefined)
  return Number.isFinite(first) ? first : undefined
}
