import * as z from 'zod/mini'
import { Json } from '../json-value.ts'
import { FileReference } from './file.ts'
import { AnswerSource } from './source.ts'
import { ConversationId, CustomId, orAbsent, PlatformId, shortText, Slug } from './values.ts'

/** A conversation of one agent. */
export const Conversation = z.object({
  id: PlatformId,
  agent_id: Slug,
  user_id: z.optional(PlatformId),
  title: z.optional(z.string()),
  /** Summary of the oldest messages, used if not all messages fit. */
  summary: z.optional(z.string()),
  message_count: z.int(),
  /** The newest active or waiting run of the conversation. Absent without one. */
  active_run_id: z.optional(PlatformId),
  /** Whether that run works or waits. In lists only. */
  active_run_status: z.optional(z.enum(['running', 'waiting'])),
  created_at: z.string(),
  updated_at: z.string(),
})
export type Conversation = z.infer<typeof Conversation>

/** A tool call of an assistant message. */
export const MessageToolCall = z.object({ id: z.string(), name: z.string(), args: Json })

/** A message. A `tool` message is the result of a call in the preceding assistant message. */
export const Message = z.object({
  id: PlatformId,
  role: z.enum(['user', 'assistant', 'tool']),
  content: z.string(),
  /** Files attached to the message. */
  files: z.optional(z.array(FileReference)),
  tool_calls: z.optional(z.array(MessageToolCall)),
  /** Sources of an assistant message: pages that the provider named, or passages that a tool returned. */
  sources: z.optional(z.array(AnswerSource)),
  tool_call_id: z.optional(z.string()),
  tool_name: z.optional(z.string()),
  run_id: z.optional(PlatformId),
  created_at: z.string(),
})
export type Message = z.infer<typeof Message>

/** A message to append. Without a conversation, a new one is created, and `agent_id` is required. */
export const MessageInput = z.object({
  conversation_id: orAbsent(ConversationId),
  agent_id: orAbsent(Slug),
  user_id: orAbsent(CustomId),
  title: orAbsent(shortText(500)),
  role: orAbsent(z.enum(['user', 'assistant'])),
  content: z.string().check(z.minLength(1), z.maxLength(1_000_000)),
  /**
   * Makes retries safe: requests with the same key add one message or create one conversation, and return the same
   * ids. The same key with a different text, agent or user is a conflict.
   */
  idempotency_key: orAbsent(CustomId),
})
export type MessageInput = z.infer<typeof MessageInput>
