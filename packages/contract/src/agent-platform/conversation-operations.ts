import * as z from 'zod/mini'
import type { Operation } from '../operation.ts'
import { Conversation, Message, MessageInput } from './conversation.ts'
import { idempotencyHeader } from './start-options.ts'
import { Done, emptiable, limitParameter, PageCursor, PlatformId, shortText, Slug } from './values.ts'

const byId = z.object({ id: PlatformId })
const page = { limit: limitParameter(500), cursor: z.optional(PageCursor) }
const shown = z.object({
  conversation: Conversation,
  /** Oldest first; without `cursor` the newest page. */
  messages: z.array(Message),
  /** Cursor for older messages. */
  next_cursor: z.optional(PageCursor),
})

/** Conversations. */
export const conversationOperations = {
  listConversations: {
    method: 'GET',
    path: '/api/conversations',
    auth: 'local',
    scope: 'read',
    subject: { rows: 'conversations', single: 'conversation', agent: 'agent_id', user: 'user_id' },
    summary:
      'Lists conversations, newest first. With `conversation_id`, returns that conversation and its messages.',
    source: 'Other route families; A12',
    query: z.object({
      agent_id: z.optional(Slug),
      user_id: z.optional(PlatformId),
      conversation_id: z.optional(PlatformId),
      ...page,
    }),
    reply: z.union([
      z.object({ conversations: z.array(Conversation), next_cursor: z.optional(PageCursor) }),
      shown,
    ]),
    errors: [404],
  },
  getConversation: {
    method: 'GET',
    path: '/api/conversations/{id}',
    auth: 'local',
    scope: 'read',
    subject: { found: 'conversation', id: 'params.id' },
    summary: 'Returns a conversation and its newest messages.',
    source: 'A12',
    params: byId,
    query: z.object(page),
    reply: shown,
    errors: [404],
  },
  appendMessage: {
    method: 'POST',
    path: '/api/conversations',
    auth: 'local',
    scope: 'run',
    subject: 'rule',
    summary: 'Appends a message to a conversation. Without a conversation id, creates a conversation.',
    source: 'A12',
    headers: [idempotencyHeader],
    body: MessageInput,
    status: 201,
    reply: z.object({ ok: z.literal(true), conversation_id: PlatformId, message_id: PlatformId }),
    errors: [404, 409],
  },
  renameConversation: {
    method: 'PUT',
    path: '/api/conversations/{id}',
    auth: 'local',
    scope: 'run',
    subject: { found: 'conversation', id: 'params.id' },
    summary: 'Sets the title of a conversation. `null` and the empty string remove it.',
    source: 'A12',
    params: byId,
    body: z.object({ title: emptiable(shortText(500)) }),
    reply: z.object({ ok: z.literal(true), conversation: Conversation }),
    errors: [404],
  },
  deleteConversation: {
    method: 'DELETE',
    path: '/api/conversations/{id}',
    auth: 'local',
    scope: 'run',
    subject: { found: 'conversation', id: 'params.id' },
    summary: 'Deletes a conversation and its messages.',
    source: 'A12',
    params: byId,
    reply: Done,
    errors: [404],
  },
  summarizeConversation: {
    method: 'POST',
    path: '/api/conversations/summarize',
    auth: 'local',
    scope: 'run',
    subject: { found: 'conversation', id: 'body.conversation_id' },
    summary: "Writes a summary of a conversation with its agent's model. No message is deleted.",
    source: 'A12',
    body: z.object({ conversation_id: PlatformId }),
    reply: z.object({ ok: z.literal(true), summary: z.string() }),
    errors: [404, 502],
  },
} as const satisfies Record<string, Operation>
