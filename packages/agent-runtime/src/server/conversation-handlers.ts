import type { ConversationPage, MessagePage } from '../conversations/conversations.ts'
import { isOwnConversation, notOwnConversation } from '../store/own-conversation.ts'
import { withIdempotencyKey } from './idempotency-key.ts'
import type { PlatformContext, PlatformHandlers } from './platform-context.ts'

type ConversationHandlers = Pick<
  PlatformHandlers,
  | 'listConversations'
  | 'getConversation'
  | 'appendMessage'
  | 'renameConversation'
  | 'deleteConversation'
  | 'summarizeConversation'
>

/** Conversations (A12). */
export function createConversationHandlers({
  services: { conversations },
}: PlatformContext): ConversationHandlers {
  const show = async (id: string, { limit, cursor }: MessagePage, signal: AbortSignal) =>
    toReply(await conversations.get(id, { limit, cursor }, signal))

  return {
    async listConversations({ query, request: { signal } }) {
      const { agent_id: agentId, user_id: userId, conversation_id: id, limit, cursor } = query
      if (id !== undefined) {
        const shown = await show(id, query, signal)
        const { agent_id, user_id } = shown.conversation
        // whoever names an agent or a user asks for theirs, as in the list
        if (isOwnConversation({ agentId: agent_id, userId: user_id }, { agentId, userId })) return shown
        throw notOwnConversation('Getting a conversation')
      }
      const { nextCursor, ...found } = await conversations.list({ agentId, userId, limit, cursor }, signal)
      return { ...found, ...(nextCursor !== undefined && { next_cursor: nextCursor }) }
    },
    getConversation: ({ params, query, request }) => show(params.id, query, request.signal),
    async appendMessage({ body, request }) {
      const given = withIdempotencyKey(body, request)
      const { conversationId, messageId } = await conversations.append(given, request.signal)
      return { ok: true, conversation_id: conversationId, message_id: messageId }
    },
    async renameConversation({ params, body, request }) {
      return { ok: true, conversation: await conversations.rename(params.id, body.title, request.signal) }
    },
    async deleteConversation({ params, request }) {
      await conversations.delete(params.id, request.signal)
      return { ok: true }
    },
    async summarizeConversation({ body, request }) {
      return { ok: true, summary: await conversations.summarize(body.conversation_id, request.signal) }
    },
  }
}

function toReply({ conversation, messages, nextCursor }: ConversationPage) {
  return { conversation, messages, ...(nextCursor !== undefined && { next_cursor: nextCursor }) }
}
