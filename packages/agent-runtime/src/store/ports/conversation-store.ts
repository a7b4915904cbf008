import type { RunSource } from '@homeward/contract/agent-platform'
import type { ModelMessage } from '../../ports/message.ts'
import type { Page, PageRequest } from './page.ts'

/** A conversation. Times are ISO 8601 text in UTC. */
export interface StoredConversation {
  readonly id: string
  readonly agentId: string
  readonly userId?: string
  readonly title?: string
  /** Stands for every message up to `summarizedSeq`. */
  readonly summary?: string
  readonly summarizedSeq: number
  readonly messageCount: number
  /** The newest run that works in it or waits. */
  readonly activeRunId?: string
  /** Its status. In lists only. */
  readonly activeRunStatus?: 'running' | 'waiting'
  readonly createdAt: string
  readonly updatedAt: string
}

/** A message that is to be kept. */
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

/** Messages for one conversation, kept all together or not at all. */
export interface ConversationAppend {
  readonly conversationId: string
  /** For a conversation that does not exist yet; an existing one keeps what it has. */
  readonly agentId: string
  readonly userId?: string
  readonly title?: string
  /**
   * `createdAt` of the conversation that the messages continue. When it was deleted since, nothing is appended: not to
   * one that was begun again under its id, and none is made.
   */
  readonly conversationCreatedAt?: string
  readonly messages: readonly NewMessage[]
  /**
   * The run whose messages these are, all that it adds: each of them has its `runId`, and as its id that with `.` and its place
   * behind, from 0. A store may keep them as one, without ids.
   */
  readonly turnOf?: string
  readonly now: string
}

/** Which conversations. Absent fields match everything. */
export interface ConversationFilter {
  readonly agentId?: string | undefined
  readonly userId?: string | undefined
  /** Those of one of these agents. */
  readonly agentIds?: readonly string[] | undefined
  /** Those with a run of one of these sources, and those without runs. */
  readonly sources?: readonly RunSource[] | undefined
  /** Those that callers for one user began under this id: see `ownId`. */
  readonly chosenId?: string | undefined
}

/** The store of conversations. Implementations must pass `conversationStoreConformance`. */
export interface ConversationStore {
  /**
   * Appends messages, in their order, and makes the conversation when it is missing. All or nothing. Whose a
   * conversation is, is looked at in the same write: of two who begin one at once, the first has it.
   *
   * @throws {RuntimeError} `not_found` when the conversation is of another agent, or both it and the messages are of a
   * user, and not of the same, or when the one that they continue is gone; `conflict` when it has a message with one of the ids.
   */
  appendMessages(append: ConversationAppend, signal?: AbortSignal): Promise<void>
  /** @returns undefined when there is none. */
  findConversation(id: string, signal?: AbortSignal): Promise<StoredConversation | undefined>
  /**
   * Newest `updatedAt` first, then `id`.
   *
   * @throws {RuntimeError} `validation_error` for a cursor that is not one of this list.
   */
  listConversations(
    filter: ConversationFilter,
    page: PageRequest,
    signal?: AbortSignal,
  ): Promise<Page<StoredConversation>>
  /** Messages, **newest first**; the cursor leads to older ones. */
  listMessages(conversationId: string, page: PageRequest, signal?: AbortSignal): Promise<Page<StoredMessage>>
  /** Sets the title. `null` removes it. @returns false when there is no such conversation. */
  setConversationTitle(id: string, title: string | null, now: string, signal?: AbortSignal): Promise<boolean>
  /**
   * Keeps a summary of the messages up to `throughSeq`. An older summary than the one there is ignored, and
   * `throughSeq` never goes beyond the messages there are.
   *
   * @param conversation as it was summed up: one that was deleted since and begun again under its id gets no summary.
   * @returns false when there is no such conversation.
   */
  saveSummary(
    conversation: Pick<StoredConversation, 'id' | 'createdAt'>,
    summary: string,
    throughSeq: number,
    signal?: AbortSignal,
  ): Promise<boolean>
  /**
   * Deletes the messages from a number on; the next message gets this number. A summary that covers one of them goes, too.
   *
   * @param conversation as it was read: one that was deleted since and begun again under its id stays.
   * @returns false when there is no such conversation.
   */
  cutConversation(
    conversation: Pick<StoredConversation, 'id' | 'createdAt'>,
    fromSeq: number,
    now: string,
    signal?: AbortSignal,
  ): Promise<boolean>
  /** Deletes a conversation with its messages. @returns false when there is none. */
  deleteConversation(id: string, signal?: AbortSignal): Promise<boolean>
}
