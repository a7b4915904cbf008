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
  /** Replaces the oldest messages if not all messages fit. */
  summary: z.optional(z.string()),
  message_count: z.int(),
  /** The newest run that works in it or waits for a person. Absent if no run does. */
  active_run_id: z.optional(PlatformId),
  /** Whether that run works or waits. In lists only. */
  active_run_status: z.optional(z.enum(['running', 'waiting'])),
  created_at: z.string(),
  updated_at: z.string(),
})
export type Conversation = z.infer<typeof Conversation>

/** A tool call of an assistant's message. */
export const MessageToolCall = z.object({ id: z.string(), name: z.string(), args: Json })

/** A message. `tool` messages answer the calls of the assistant's message before them. */
export const Message = z.object({
  id: PlatformId,
  role: z.enum(['user', 'assistant', 'tool']),
  content: z.string(),
  /** Files that the message refers to. */
  files: z.optional(z.array(FileReference)),
  tool_calls: z.optional(z.array(MessageToolCall)),
  /** Pages that the provider named as sources of an assistant's message, or passages that a tool returned. */
  sources: z.optional(z.array(AnswerSource)),
  tool_call_id: z.optional(z.string()),
  tool_name: z.optional(z.string()),
  run_id: z.optional(PlatformId),
  created_at: z.string(),
})
export type Message = z.infer<typeof Message>

/** A message that a client appends. Without a conversation a new one is made, and then `agent_id` is needed. */
export const MessageInput = z.object({
  conversation_id: orAbsent(ConversationId),
  agent_id: orAbsent(Slug),
  user_id: orAbsent(CustomId),
  title: orAbsent(shortText(500)),
  role: orAbsent(z.enum(['user', 'assistant'])),
  content: z.string().check(z.minLength(1), z.maxLength(1_000_000)),
  /**
   * Requests with the same key add one message or create one conversation, and return the same ids. The same key with
   * another text, agent or user is a conflict.
   */
  idempotency_key: orAbsent(CustomId),
})
export type MessageInput = z.infer<typeof MessageInput>
