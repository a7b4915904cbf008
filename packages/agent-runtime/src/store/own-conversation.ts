import type { StoredConversation } from './ports/conversation-store.ts'
import { RuntimeError } from '../ports/runtime-error.ts'

/** Who wants to read a conversation, or to append to it. Whoever names no agent or user is not asked for it. */
interface ConversationCaller {
  readonly agentId?: string | undefined
  readonly userId?: string | undefined
}

/** A conversation belongs to one agent, and to one user when it has one (A12). */
export function isOwnConversation(
  conversation: Pick<StoredConversation, 'agentId'> & { readonly userId?: string | undefined },
  { agentId, userId }: ConversationCaller,
): boolean {
  if (agentId !== undefined && agentId !== conversation.agentId) return false
  return userId === undefined || conversation.userId === undefined || userId === conversation.userId
}

/** What a store refuses messages for somebody else's conversation with. */
export const notOwnConversation = (attempt: string) =>
  new RuntimeError(
    'not_found',
    `${attempt} failed: the agent has no conversation with this id for this user. List the conversations to find it.`,
  )
