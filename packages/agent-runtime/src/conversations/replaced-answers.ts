import type {
  ConversationStore,
  StoredConversation,
  StoredMessage,
} from '../store/ports/conversation-store.ts'
import type { ModelMessage } from '../ports/message.ts'

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

/** A message by its id. Newest first: what is looked for mostly came not long ago. */
export async function findMessage(
  store: Pick<ConversationStore, 'listMessages'>,
  conversationId: string,
  id: string,
  signal?: AbortSignal,
): Promise<StoredMessage | undefined> {
  let cursor: string | undefined
  do {
    const { rows, nextCursor } = await store.listMessages(conversationId, { limit: 50, cursor }, signal)
    const found = rows.find((row) => row.id === id)
    if (found) return found
    cursor = nextCursor
  } while (cursor !== undefined)
  return undefined
}

/**
 * Makes a check that is asked about messages one by one, the newest first: whether a later answer replaced this one. A turn
 * says at its end what it answers. Turns of older releases do not: each replaced what others had answered to the question before it.
 */
export function createReplacedCheck(): (stored: StoredMessage) => boolean {
  const turns = new Map<string, { readonly isReplaced: boolean } | undefined>()
  const answeredAnew = new Set<string>()
  let answeredBy: string | undefined

  function look({ answers }: Exclude<ModelMessage, { role: 'user' }>) {
    if (!answers) return undefined
    const { question, anew } = answers
    const isReplaced = answeredAnew.has(question)
    if (anew) answeredAnew.add(question)
    return { isReplaced }
  }

  return ({ message, runId }) => {
    if (message.role === 'user') answeredBy = undefined
    else answeredBy ??= runId
    if (message.role === 'user' || runId === undefined) return false
    if (!turns.has(runId)) turns.set(runId, look(message))
    return turns.get(runId)?.isReplaced ?? (answeredBy !== undefined && runId !== answeredBy)
  }
}

/** Puts what a run answered behind its question: others may have been asked and answered between the two. */
export function inTurns(messages: readonly StoredMessage[]): StoredMessage[] {
  const questionOf = new Map<string, string>()
  for (const { message, runId } of messages)
    if (message.role !== 'user' && message.answers && runId !== undefined)
      questionOf.set(runId, message.answers.question)
  const turnOf = new Map<string, StoredMessage[]>()
  const turns: StoredMessage[][] = []
  for (const stored of messages) {
    const { runId, id } = stored
    const question = runId === undefined ? undefined : questionOf.get(runId)
    const turn = question === undefined ? undefined : turnOf.get(question)
    if (turn) turn.push(stored)
    else {
      const begun = [stored]
      turns.push(begun)
      turnOf.set(id, begun)
    }
  }
  return turns.flat()
}
