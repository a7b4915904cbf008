import * as z from 'zod/mini'
import type { Operation } from '../operation.ts'
import { Conversation, Message, MessageInput } from './conversation.ts'
import { RunSources } from './run-source.ts'
import { idempotencyHeader } from './start-options.ts'
import {
  Done,
  emptiable,
  limitParameter,
  orAbsent,
  PageCursor,
  PlatformId,
  shortText,
  Slug,
} from './values.ts'
import { UiConversation } from './ui-message.ts'
import { Memory, MemorySearchResult, MemoryInput, MemorySearch } from './memory.ts'

const byConversationId = z.object({ id: PlatformId })
/** Of several users who chose the same id for a conversation. */
const ofUser = { user_id: z.optional(PlatformId) }
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
    subject: {
      rows: 'conversations',
      single: { in: 'conversation', found: 'conversation', id: 'query.conversation_id' },
      agent: 'agent_id',
      user: { field: 'user_id', filter: 'query.user_id' },
    },
    summary:
      'Lists conversations, newest first. With `conversation_id`, returns that conversation and its messages.',
    source: 'Other route families; A12',
    query: z.object({
      agent_id: z.optional(Slug),
      user_id: z.optional(PlatformId),
      conversation_id: z.optional(PlatformId),
      /**
       * Only conversations with a run that was started so, such as `chat,channel`, and conversations without runs.
       * Default all.
       */
      source: z.optional(RunSources),
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
    subject: { found: 'conversation', id: 'params.id', user: 'own' },
    summary:
      'Returns a conversation and its newest messages. With `format=ui`, its messages are those of `useChat` of the AI SDK.',
    source: 'A12',
    params: byConversationId,
    query: z.object({
      ...ofUser,
      ...page,
      /** Messages as `useChat` of the AI SDK takes them. */
      format: z.optional(z.literal('ui')),
      /** With `format=ui`: whether answers contain the reasoning that the server still has. Default `false`. */
      reasoning: z.optional(z.enum(['true', 'false'])),
    }),
    // the type is that of callers who ask for no format
    reply: z.union([shown, UiConversation]) as unknown as typeof shown,
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
    subject: { found: 'conversation', id: 'params.id', user: 'own' },
    summary: 'Sets the title of a conversation. `null` and the empty string remove it.',
    source: 'A12',
    params: byConversationId,
    query: z.object(ofUser),
    body: z.object({ title: emptiable(shortText(500)) }),
    reply: z.object({ ok: z.literal(true), conversation: Conversation }),
    errors: [404],
  },
  deleteConversation: {
    method: 'DELETE',
    path: '/api/conversations/{id}',
    auth: 'local',
    scope: 'run',
    subject: { found: 'conversation', id: 'params.id', user: 'own' },
    summary: 'Deletes a conversation and its messages.',
    source: 'A12',
    params: byConversationId,
    query: z.object(ofUser),
    reply: Done,
    errors: [404],
  },
  cancelConversation: {
    method: 'POST',
    path: '/api/conversations/{id}/cancel',
    auth: 'local',
    scope: 'run',
    subject: { found: 'conversation', id: 'params.id', user: 'own' },
    summary: 'Stops the runs that work or wait in a conversation. Without such a run, nothing happens.',
    source: 'additions 2, 3',
    params: byConversationId,
    reply: Done,
    errors: [404],
  },
  summarizeConversation: {
    method: 'POST',
    path: '/api/conversations/summarize',
    auth: 'local',
    scope: 'run',
    subject: { found: 'conversation', id: 'body.conversation_id', user: 'own' },
    summary: "Writes a summary of a conversation with its agent's model. No message is deleted.",
    source: 'A12',
    body: z.object({ conversation_id: PlatformId, user_id: orAbsent(PlatformId) }),
    reply: z.object({ ok: z.literal(true), summary: z.string() }),
    errors: [404, 502],
  },
} as const satisfies Record<string, Operation>

const foundMemories = z.object({ results: z.array(MemorySearchResult) })

/** Long-term memory. */
export const memoryOperations = {
  writeMemory: {
    method: 'POST',
    path: '/api/memory/write',
    auth: 'local',
    scope: 'run',
    subject: { agent: 'body.agent_id', user: 'body.user_id' },
    summary: 'Writes a memory.',
    source: 'Other route families; A11',
    headers: [idempotencyHeader],
    body: MemoryInput,
    status: 201,
    reply: z.object({ ok: z.literal(true), id: PlatformId }),
    errors: [409],
  },
  listMemories: {
    method: 'GET',
    path: '/api/memory',
    auth: 'local',
    scope: 'read',
    subject: { agent: 'query.agent_id', user: 'query.user_id' },
    summary: 'Lists memories that have not expired, newest first. `tags` is a comma-separated list.',
    source: 'Other route families; A11',
    query: z.object({
      agent_id: z.optional(Slug),
      user_id: z.optional(PlatformId),
      tags: z.optional(z.string().check(z.maxLength(5000))),
      ...page,
    }),
    reply: z.object({ memories: z.array(Memory), next_cursor: z.optional(PageCursor) }),
  },
  searchMemory: {
    method: 'GET',
    path: '/api/memory/search',
    auth: 'local',
    scope: 'read',
    subject: { agent: 'query.agent_id', user: 'query.user_id' },
    summary:
      'Searches memories, best match first. `tags` is a comma-separated list. To search for a tag with a comma, use POST.',
    source: 'Other route families; A11',
    query: z.object({
      q: z.string().check(z.minLength(1), z.maxLength(10_000)),
      agent_id: z.optional(Slug),
      user_id: z.optional(PlatformId),
      tags: z.optional(z.string().check(z.maxLength(5000))),
      limit: limitParameter(50),
    }),
    reply: foundMemories,
  },
  searchMemoryByBody: {
    method: 'POST',
    path: '/api/memory/search',
    auth: 'local',
    scope: 'read',
    subject: { agent: 'body.agent_id', user: 'body.user_id' },
    summary: 'Searches memories, best match first.',
    source: 'A11',
    body: MemorySearch,
    reply: foundMemories,
  },
  deleteMemory: {
    method: 'DELETE',
    path: '/api/memory/{id}',
    auth: 'local',
    scope: 'run',
    subject: { found: 'memory', id: 'params.id', user: 'own' },
    summary: 'Deletes a memory.',
    source: 'A11',
    params: z.object({ id: PlatformId }),
    reply: Done,
    errors: [404],
  },
} as const satisfies Record<string, Operation>
