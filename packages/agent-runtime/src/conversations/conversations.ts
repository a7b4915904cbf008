import type { Conversation, Message, MessageInput, RunSource } from '@homeward/contract/agent-platform'

/** Filter of conversations, and the size of a page. */
export interface ConversationQuery {
  readonly agentId?: string | undefined
  readonly userId?: string | undefined
  /** Conversations of one of these agents. */
  readonly agentIds?: readonly string[] | undefined
  /** Conversations with a run of one of these sources, and conversations without runs. */
  readonly sources?: readonly RunSource[] | undefined
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
  /** The user who chose the id, if several did. */
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

/** Conversations (A12): see `createConversations`. */
export interface Conversations {
  /** Newest first. */
  list(
    query?: ConversationQuery,
    signal?: AbortSignal,
  ): Promise<{ readonly conversations: Conversation[]; readonly nextCursor?: string }>
  /** A conversation and its newest messages, or older messages with a cursor. @throws {RuntimeError} `not_found` */
  get(id: string, page?: MessagePage, signal?: AbortSignal): Promise<ConversationPage>
  /**
   * Appends a message, by default of the user. Without a conversation, or with a new id, creates a conversation, which
   * requires `agent_id`.
   *
   * @throws {RuntimeError} `validation_error`; `not_found` when the conversation is unknown and no agent is named.
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
  /** Deletes a conversation and its messages, and cancels the runs that work or wait in it. @throws {RuntimeError} `not_found` */
  delete(id: string, signal?: AbortSignal, owner?: ConversationOwner): Promise<void>
  /**
   * Writes a summary of all messages with the agent's model, and stores it. Deletes nothing.
   *
   * @throws {RuntimeError} `not_found` also when the agent is gone, `model_not_configured`, `model_error`.
   */
  summarize(id: string, signal?: AbortSignal, owner?: ConversationOwner): Promise<string>
  /**
   * The stored id of the conversation that the caller names by this id, also if it does not exist yet.
   *
   * @param userId The caller, if it is one user. Absent: who may read every conversation.
   */
  storedId(id: string, userId?: string, signal?: AbortSignal): Promise<string>
}
