import type { ChannelSenderStatus } from '@homeward/contract/agent-platform'
import type { NoticeStep } from './approval-notice.ts'
import type { ChatRecord, StoredRoute } from './channel-chat.ts'
import type { ChannelPeer, SenderLink, SenderRequest, StoredSender } from './channel-sender.ts'
import type { NewChannelMessage } from './channel-store.ts'
import type { WithContents } from './file-store.ts'
import type { NewJournalEvent } from './journal.ts'
import type { NewRunInput } from './run-input-store.ts'
import type { NewTask, TaskCancellation, ToTaskEvent } from './task-store.ts'

/** A message to store, with everything that belongs to it. */
export interface MessageAcceptance {
  /** Keys that are claimed together. If one of them is already claimed, nothing is stored. */
  readonly keys: readonly string[]
  /** Time until which the keys are claimed. */
  readonly keysUntil: string
  /**
   * The message and its task, stored together. A message with an answer has no task. Without an entry, only the keys
   * and the journal events are written.
   */
  readonly entry?: { readonly message: NewChannelMessage; readonly task?: WithContents<NewTask> }
  /**
   * The person and group that sent it, with the statuses and users at the time of the check; undefined for a sender
   * that is not stored. If a status or user has changed since, nothing of the batch is stored.
   */
  readonly senders?: readonly {
    readonly peer: ChannelPeer
    readonly status: ChannelSenderStatus | undefined
    readonly userId?: StoredSender['userId']
  }[]
  /**
   * Stores the sender as pending. `entry` and `journal` are written only if the sender is new and the limit allows
   * one more, or if the sender gets a new code because the last one expired.
   */
  readonly knock?: SenderRequest
  /** The chat of the message, stored with it. */
  readonly chat?: ChatRecord
  /** Conversation for later messages of `chat`. */
  readonly begins?: { readonly chat: string; readonly conversationId: string }
  /** New route of the chat: the agent that answers from now on. */
  readonly routes?: StoredRoute & { readonly channel: string }
  /** Links the sender to a user. If the link code is no longer valid, nothing is stored. */
  readonly links?: SenderLink
  /** Task to cancel, as `cancelTask` does. */
  readonly cancels?: { readonly taskId: string; readonly toEvent?: ToTaskEvent }
  /**
   * Answer to a question. If the wait was settled in the meantime, or the notice has another code, no message of the
   * batch is stored.
   */
  readonly step?: NoticeStep
  /**
   * A message to a run, as `insertRunInput` stores it. If the run has ended in the meantime, no message of the batch
   * is stored.
   */
  readonly steers?: NewRunInput
  readonly journal: readonly NewJournalEvent[]
}

/** Outcome of a message. `silent`: its keys were claimed, and nothing else was written. */
export type AcceptanceOutcome =
  | { readonly kind: 'kept'; readonly cancellation?: TaskCancellation }
  | { readonly kind: 'duplicate' }
  | { readonly kind: 'silent' }

/** Messages to store in one write. */
export interface AcceptanceBatch {
  readonly now: string
  readonly acceptances: readonly MessageAcceptance[]
  /** Next offset of a polled source. Only the holder of the lease of `source` may write. */
  readonly polled?: { readonly source: string; readonly owner: string; readonly nextOffset: number }
}
