import * as z from 'zod/mini'
import type { Operation } from '../operation.ts'
import { ChatBody } from './chat-request.ts'
import { runSubject } from './run-operations.ts'
import { bodyWithFiles, idempotencyHeader, sourceHeader } from './start-options.ts'
import { ConversationId, Done, Slug } from './values.ts'

const byChat = z.object({ agent_id: Slug, conversation_id: ConversationId })
const reasoning = z.object({
  /** Whether the stream contains the reasoning of the model. Default `false`. */
  reasoning: z.optional(z.enum(['true', 'false'])),
})

/** The addresses of `useChat`: `new DefaultChatTransport({ api: '/api/chat/support' })`. */
export const chatOperations = {
  chat: {
    method: 'POST',
    path: '/api/chat/{agent_id}',
    auth: 'local',
    scope: 'run',
    subject: { ...runSubject, agent: 'params.agent_id' },
    summary:
      'Answers a message of `useChat` of the AI SDK, or continues after its decisions, as a UI message stream.',
    source: 'additions 2, 3',
    params: z.object({ agent_id: Slug }),
    query: reasoning,
    body: ChatBody,
    ...bodyWithFiles,
    headers: [idempotencyHeader, sourceHeader],
    reply: 'events',
    errors: [404, 409],
  },
  resumeChat: {
    method: 'GET',
    path: '/api/chat/{agent_id}/{conversation_id}/stream',
    auth: 'local',
    scope: 'read',
    subject: { found: 'conversation', id: 'params.conversation_id', user: 'own' },
    summary:
      'Streams the answer that is being written, from its beginning. 204 if no run works or waits, and if the caller has no such conversation.',
    source: 'additions 2, 3',
    params: byChat,
    query: reasoning,
    reply: 'events',
    emptyStatus: 204,
  },
  stopChat: {
    method: 'DELETE',
    path: '/api/chat/{agent_id}/{conversation_id}/stream',
    auth: 'local',
    scope: 'run',
    subject: { found: 'conversation', id: 'params.conversation_id', user: 'own' },
    summary:
      'Stops the runs that work or wait in a conversation of the agent. Without such a run, nothing happens.',
    source: 'additions 2, 3',
    params: byChat,
    reply: Done,
    errors: [404],
  },
} as const satisfies Record<string, Operation>
