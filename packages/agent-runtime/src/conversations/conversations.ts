import type { Conversation, Message, MessageInput } from '@homeward/contract/agent-platform'

/** Which conversations, and how many of them. */
export interface ConversationQuery {
  readonly agentId?: string | undefined
  readonly userId?: string | undefined
  /** 1 to 500. @default 100 */
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** A page of messages. */
export interface MessagePage {
  /** 1 to 500. @default 100 */
  readonly limit?: number | undefined
  /** Cursor for older messages. */
  readonly cursor?: string | undefined
}

/** A conversation with a page of its messages, oldest first. */
export interface ConversationPage {
  readonly conversation: Conversation
  readonly messages: Message[]
  /** Present when there are older messages. */
  readonly nextCursor?: string
}

/** Conversations (A12): see `createConversations`. */
export interface Conversations {
  /** Newest first. */
  list(
    query?: ConversationQuery,
    signal?: AbortSignal,
  ): Promise<{ readonly conversations: Conversation[]; readonly nextCursor?: string }>
  /** A conversation and its newest messages, or older ones behind a cursor. @throws {RuntimeError} `not_found` */
  get(id: string, page?: MessagePage, signal?: AbortSignal): Promise<ConversationPage>
  /**
   * Appends a message, by default a user's. Without a conversation, or with a new id, one is made: then `agent_id` is
   * needed.
   *
   * @throws {RuntimeError} `validation_error`; `not_found` when the conversation is unknown and no agent is named.
   */
  append(
    input: MessageInput,
    signal?: AbortSignal,
  ): Promise<{ readonly conversationId: string; readonly messageId: string }>
  /** Gives a title; `null` takes it away. @throws {RuntimeError} `validation_error`, `not_found`. */
  rename(id: string, title: string | null, signal?: AbortSignal): Promise<Conversation>
  /** Deletes a conversation and its messages. @throws {RuntimeError} `not_found` */
  delete(id: string, signal?: AbortSignal): Promise<void>
  /**
   * Sums up everything that was said with the agent's model, and keeps the summary. Deletes nothing.
   *
   * @throws {RuntimeError} `not_found` also when the agent is gone, `model_not_configured`, `model_error`.
   */
  summarize(id: string, signal?: AbortSignal): Promise<string>
}
