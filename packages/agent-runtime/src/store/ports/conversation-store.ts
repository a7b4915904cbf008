import type { RunSource } from '@homeward/contract/agent-platform'
import type { ModelMessage } from '../../ports/message.ts'
import type { Page, PageRequest } from './page.ts'

/** A conversation. Times are ISO 8601 text in UTC. */
export interface StoredConversation {
  readonly id: string
  readonly agentId: string
  readonly userId?: string
  readonly title?: string
  /** Summary of every message up to `summarizedSeq`. */
  readonly summary?: string
  readonly summarizedSeq: number
  readonly messageCount: number
  /** The newest active or waiting run of the conversation. */
  readonly activeRunId?: string
  /** Its status. In lists only. */
  readonly activeRunStatus?: 'running' | 'waiting'
  readonly createdAt: string
  readonly updatedAt: string
}

/** A message to store. */
export interface NewMessage {
  readonly id: string
  readonly message: ModelMessage
  readonly runId?: string
}

/** A message of a conversation. `seq` counts from 1 without gaps, in the order of appending. */
export interface StoredMessage extends NewMessage {
  readonly seq: number
  readonly createdAt: string
}

/** Messages for one conversation, stored together or not at all. */
export interface ConversationAppend {
  readonly conversationId: string
  /** Agent of a new conversation. An existing conversation keeps its agent. */
  readonly agentId: string
  readonly userId?: string
  readonly title?: string
  /**
   * `createdAt` of the conversation to continue. If that conversation was deleted since, nothing is appended, even if
   * a new one has its id.
   */
  readonly conversationCreatedAt?: string
  readonly messages: readonly NewMessage[]
  /**
   * The run that adds these messages. Each has its `runId`, and as its id that run id with `.` and its index,
   * starting at 0. A store may store them as one, without ids.
   */
  readonly turnOf?: string
  readonly now: string
}

/** Filter for conversations. Absent fields match everything. */
export interface ConversationFilter {
  readonly agentId?: string | undefined
  readonly userId?: string | undefined
  /** Agents of the conversations. */
  readonly agentIds?: readonly string[] | undefined
  /** Those with a run of one of these sources, and those without runs. */
  readonly sources?: readonly RunSource[] | undefined
  /** Conversations that user-limited callers started with this id: see `ownId`. */
  readonly chosenId?: string | undefined
}

/** The store of conversations. Implementations must pass `conversationStoreConformance`. */
export interface ConversationStore {
  /**
   * Appends messages in their order, and creates the conversation if missing: all or nothing.
   *
   * The owner of the conversation is checked in the same write, so if two callers start it at once, the first one
   * gets it.
   *
   * @throws {RuntimeError} `not_found` if the conversation belongs to another agent, if it and the messages belong to
   * different users, or if the conversation to continue no longer exists; `conflict` if it already has a message with
   * one of the ids.
   */
  appendMessages(append: ConversationAppend, signal?: AbortSignal): Promise<void>
  /** Finds a conversation. @returns undefined if it does not exist. */
  findConversation(id: string, signal?: AbortSignal): Promise<StoredConversation | undefined>
  /**
   * Lists conversations, newest `updatedAt` first, then by `id`.
   *
   * @throws {RuntimeError} `validation_error` for a cursor of another list.
   */
  listConversations(
    filter: ConversationFilter,
    page: PageRequest,
    signal?: AbortSignal,
  ): Promise<Page<StoredConversation>>
  /** Lists messages, **newest first**. The cursor leads to older ones. */
  listMessages(conversationId: string, page: PageRequest, signal?: AbortSignal): Promise<Page<StoredMessage>>
  /** Sets the title. `null` removes it. @returns false if the conversation does not exist. */
  setConversationTitle(id: string, title: string | null, now: string, signal?: AbortSignal): Promise<boolean>
  /**
   * Stores a summary of the messages up to `throughSeq`. An older summary than the stored one is ignored, and
   * `throughSeq` is limited to the last message.
   *
   * @param conversation the summarized conversation; if it was deleted since, a new one with its id gets no summary.
   * @returns false if it does not exist.
   */
  saveSummary(
    conversation: Pick<StoredConversation, 'id' | 'createdAt'>,
    summary: string,
    throughSeq: number,
    signal?: AbortSignal,
  ): Promise<boolean>
  /**
   * Deletes the messages from a number on. The next message gets this number. A summary that covers a deleted message
   * is removed.
   *
   * @param conversation the conversation as read; if it was deleted since, a new one with its id stays unchanged.
   * @returns false if it does not exist.
   */
  cutConversation(
    conversation: Pick<StoredConversation, 'id' | 'createdAt'>,
    fromSeq: number,
    now: string,
    signal?: AbortSignal,
  ): Promise<boolean>
  /** Deletes a conversation with its messages. @returns false if it does not exist. */
  deleteConversation(id: string, signal?: AbortSignal): Promise<boolean>
}
