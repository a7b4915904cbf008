import type { Conversation, Message, MessageInput, RunSource } from '@homeward/contract/agent-platform'

/** Filter for conversations, and the page size. */
export interface ConversationQuery {
  readonly agentId?: string | undefined
  readonly userId?: string | undefined
  /** Conversations of one of these agents. */
  readonly agentIds?: readonly string[] | undefined
  /** Conversations with a run of one of these sources, and conversations without runs. */
  readonly sources?: readonly RunSource[] | undefined
  /** Page size, 1 to 500. @default 100 */
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** A page of messages. */
export interface MessagePage {
  /** Page size, 1 to 500. @default 100 */
  readonly limit?: number | undefined
  /** Cursor for older messages. */
  readonly cursor?: string | undefined
  /** User who chose the id, if several users chose the same one. */
  readonly userId?: string | undefined
}

/** Whose conversation is meant if several users chose its id. */
export interface ConversationOwner {
  readonly userId?: string | undefined
}

/** A conversation with a page of its messages, oldest first. */
export interface ConversationPage {
  readonly conversation: Conversation
  readonly messages: Message[]
  /** Present if there are older messages. */
  readonly nextCursor?: string
}

/** The conversations of a runtime. */
export interface Conversations {
  /** Lists conversations, newest first. */
  list(
    query?: ConversationQuery,
    signal?: AbortSignal,
  ): Promise<{ readonly conversations: Conversation[]; readonly nextCursor?: string }>
  /**
   * Returns a conversation with its newest messages, or with older ones for a cursor.
   *
   * @throws {RuntimeError} `not_found`
   */
  get(id: string, page?: MessagePage, signal?: AbortSignal): Promise<ConversationPage>
  /**
   * Appends a message, by default of the user. Without a conversation, or with a new id, creates a conversation,
   * which requires `agent_id`.
   *
   * @throws {RuntimeError} `validation_error`; `not_found` if the conversation is unknown and `agent_id` is missing.
   */
  append(
    input: MessageInput,
    signal?: AbortSignal,
  ): Promise<{ readonly conversationId: string; readonly messageId: string }>
  /** Sets the title. `null` removes it. @throws {RuntimeError} `validation_error`, `not_found`. */
  rename(
    id: string,
    title: string | null,
    signal?: AbortSignal,
    owner?: ConversationOwner,
  ): Promise<Conversation>
  /**
   * Deletes a conversation and its messages, and cancels its active and waiting runs.
   *
   * @throws {RuntimeError} `not_found`
   */
  delete(id: string, signal?: AbortSignal, owner?: ConversationOwner): Promise<void>
  /**
   * Summarizes all messages with the agent's model, and stores the summary. Deletes nothing.
   *
   * @throws {RuntimeError} `not_found`, also if the agent no longer exists; `model_not_configured`; `model_error`.
   */
  summarize(id: string, signal?: AbortSignal, owner?: ConversationOwner): Promise<string>
  /**
   * Returns the stored id for a conversation id of the caller, even if the conversation does not exist yet.
   *
   * @param userId the caller's user. Absent: the caller can read every conversation.
   */
  storedId(id: string, userId?: string, signal?: AbortSignal): Promise<string>
}
