import type { RuntimeStore } from '../../store/ports/runtime-store.ts'
import { toShortId } from '../short-id.ts'

type Store = Pick<RuntimeStore, 'findChatConversation' | 'findChatWork' | 'findConversation'>

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
  const known = await store.findConversation(begun)
  // a conversation is stored when its first run ends: until then it belongs to whoever is being answered
  const owner = known ?? (await store.findChatWork(chat)).task
  const isOwn = owner === undefined || (agentOf(owner) === agentId && owner.userId === userId)
  return isOwn ? begun : toShortId(`${begun} ${agentId} ${userId}`)
}

function agentOf(
  owner: { readonly agentId: string } | { readonly subject: { readonly id: string } },
): string {
  return 'agentId' in owner ? owner.agentId : owner.subject.id
}
