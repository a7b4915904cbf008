import type { ConversationAppend, ConversationStore } from '../store/ports/conversation-store.ts'
import { usedKey, writeOnce } from '../store/repeatable-id.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { findMessage } from './replaced-answers.ts'

/** A message whose ids are made of an idempotency key. */
interface KeyedAppend {
  readonly store: Pick<ConversationStore, 'findConversation' | 'listMessages'>
  readonly appended: ConversationAppend
  /** Whether the message begins the conversation, whose id is made of the key too. */
  readonly isNew: boolean
  readonly attempt: string
  readonly write: () => Promise<void>
}

/**
 * Appends a message once, however often its request is sent.
 *
 * @throws {RuntimeError} `conflict` when the key came with another message before, or for another agent or user.
 */
export async function appendOnce(given: KeyedAppend, signal?: AbortSignal): Promise<void> {
  const { attempt, isNew, write } = given
  const assertSame = async () => {
    if (!(await isKept(given, signal))) throw usedKey(attempt, 'message')
  }
  await writeOnce(async () => {
    try {
      await write()
    } catch (cause) {
      // the conversation that the key began is of another agent or user
      if (isNew && RuntimeError.is(cause) && cause.code === 'not_found') throw usedKey(attempt, 'message')
      throw cause
    }
  }, assertSame)
}

async function isKept({ store, appended, isNew }: KeyedAppend, signal?: AbortSignal): Promise<boolean> {
  const { conversationId, agentId, userId, messages } = appended
  const conversation = await store.findConversation(conversationId, signal)
  if (isNew && (conversation?.agentId !== agentId || conversation.userId !== userId)) return false
  const [wanted] = messages
  const kept = wanted && (await findMessage(store, conversationId, wanted.id, signal))
  return kept !== undefined && JSON.stringify(kept.message) === JSON.stringify(wanted?.message)
}
