import type { RunRequest } from '@homeward/contract/agent-platform'
import { RuntimeError } from '../ports/runtime-error.ts'
import { isOwnConversation, notOwnConversation } from '../store/own-conversation.ts'
import type { StoredConversation, StoredMessage } from '../store/ports/conversation-store.ts'
import { cancelRun } from './cancel-run.ts'
import type { RunsContext } from './runs-options.ts'

/**
 * Makes room for what a request replaces: runs of the conversation are cancelled, then the message that is edited, or what follows the
 * question of a repeated answer, is deleted with all that follow. The same request again finds that its own run has done so.
 *
 * @throws {RuntimeError} `not_found` if the conversation has no such message.
 */
export async function makeRoom(
  context: RunsContext,
  request: RunRequest,
  signal: AbortSignal | undefined,
): Promise<void> {
  const {
    conversation_id: id,
    agent_id: agentId,
    user_id: userId,
    replaces = '',
    regenerate = false,
  } = request
  const { store, timestamp } = context
  const conversation = id === undefined ? undefined : await store.findConversation(id, signal)
  if (!conversation || !isOwnConversation(conversation, { agentId, userId }))
    throw notOwnConversation('Replacing a message')
  const question = await findQuestion(context, conversation, { replaces, regenerate }, signal)
  if (!question) throw notThere
  if (await isDone(context, question, request, signal)) return
  for await (const runId of openRunsOf(context, conversation.id)) await cancelRun(context, runId)
  const fromSeq = regenerate ? question.seq + 1 : question.seq
  // the newest question keeps its answer, which is no longer read once there is another one
  if (regenerate && question.isNewest) return
  if (!(await store.cutConversation(conversation, fromSeq, timestamp(), signal))) throw notThere
}

const notThere = new RuntimeError(
  'not_found',
  'Replacing a message failed: the conversation has no message of the user with this id. Reload the conversation.',
)

interface Found extends StoredMessage {
  /** Whether no message of the user follows. */
  readonly isNewest: boolean
}

/** The message of the user that is replaced, or whose answer is. */
async function findQuestion(
  { store }: Pick<RunsContext, 'store'>,
  { id }: StoredConversation,
  { replaces, regenerate }: { readonly replaces: string; readonly regenerate: boolean },
  signal: AbortSignal | undefined,
): Promise<Found | undefined> {
  const wanted = new Set([replaces])
  let isNewest = true
  let cursor: string | undefined
  do {
    const { rows, nextCursor } = await store.listMessages(id, { limit: 100, cursor }, signal)
    for (const row of rows) {
      const { message, runId } = row
      if (message.role === 'user') {
        if (wanted.has(row.id) || (regenerate && runId !== undefined && wanted.has(runId)))
          return { ...row, isNewest }
        isNewest = false
      } else if (regenerate && runId === replaces && message.answers) wanted.add(message.answers.question)
    }
    cursor = nextCursor
  } while (cursor !== undefined)
  return undefined
}

/** Whether the run of this very request has replaced the message already. */
async function isDone(
  { store }: Pick<RunsContext, 'store'>,
  { runId }: StoredMessage,
  { idempotency_key: key }: RunRequest,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  if (key === undefined || runId === undefined) return false
  return (await store.findRun(runId, signal))?.idempotencyKey === key
}

async function* openRunsOf(
  { store }: Pick<RunsContext, 'store'>,
  conversationId: string,
): AsyncGenerator<string> {
  for (const status of ['running', 'waiting'] as const) {
    const { rows } = await store.listRuns({ conversationId, status }, { limit: 100 })
    for (const { id } of rows) yield id
  }
}
