import type {
  ConversationStore,
  StoredConversation,
  StoredMessage,
} from '../store/ports/conversation-store.ts'

const pageSize = 20

/** The newest message of a person. */
export async function findNewestQuestion(
  store: Pick<ConversationStore, 'listMessages'>,
  conversationId: StoredConversation['id'],
  signal?: AbortSignal,
): Promise<StoredMessage | undefined> {
  let cursor: string | undefined
  do {
    const page = await store.listMessages(conversationId, { limit: pageSize, cursor }, signal)
    const question = page.rows.find(({ message }) => message.role === 'user')
    if (question) return question
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return undefined
}

/**
 * Makes a check that is asked about messages one by one, the newest first: whether a later answer replaced this one. The
 * turn of a run begins with the question; that of a run which answered anew begins with its answer.
 */
export function createReplacedCheck(): (stored: StoredMessage) => boolean {
  let answeredBy: string | undefined
  return ({ message, runId }) => {
    if (message.role === 'user') answeredBy = undefined
    else answeredBy ??= runId
    return answeredBy !== undefined && runId !== undefined && runId !== answeredBy
  }
}
