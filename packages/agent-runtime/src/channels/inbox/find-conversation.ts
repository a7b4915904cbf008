import type { RuntimeStore } from '../../store/ports/runtime-store.ts'
import { toShortId } from '../short-id.ts'

type Store = Pick<RuntimeStore, 'findChatConversation' | 'findConversation'>

/**
 * Finds the conversation of a chat. A conversation belongs to one agent and one user: if another agent answers from now on,
 * or the stored one has no user or another one, a conversation with an id of its own begins.
 */
export async function findConversationOf(
  store: Store,
  chat: string,
  { agentId, userId }: { readonly agentId: string; readonly userId: string },
): Promise<string> {
  const begun = (await store.findChatConversation(chat)) ?? chat
  for (const id of [begun, toShortId(`${begun} ${agentId}`)]) {
    const known = await store.findConversation(id)
    if (known === undefined || (known.agentId === agentId && known.userId === userId)) return id
  }
  return toShortId(`${begun} ${agentId} ${userId}`)
}
