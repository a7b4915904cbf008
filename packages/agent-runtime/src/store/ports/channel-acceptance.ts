import type { ChannelSenderStatus } from '@homeward/contract/agent-platform'
import type { NoticeStep } from './approval-notice.ts'
import type { ChatRecord, StoredRoute } from './channel-chat.ts'
import type { ChannelPeer, SenderLink, SenderRequest, StoredSender } from './channel-sender.ts'
import type { NewChannelMessage } from './channel-store.ts'
import type { WithContents } from './file-store.ts'
import type { NewJournalEvent } from './journal.ts'
import type { NewRunInput } from './run-input-store.ts'
import type { NewTask, TaskCancellation, ToTaskEvent } from './task-store.ts'

/** A message to be kept, with everything that belongs to it. */
export interface MessageAcceptance {
  /** Claimed together: when one of them is taken, nothing of this is kept. */
  readonly keys: readonly string[]
  /** Until when they are taken. */
  readonly keysUntil: string
  /**
   * The message and its task, both or neither; a message with an answer has no task. Without an entry the keys are
   * claimed and the journal is written.
   */
  readonly entry?: { readonly message: NewChannelMessage; readonly task?: WithContents<NewTask> }
  /**
   * Who sent it and in which group, with the statuses and users by which it was judged; undefined for a sender that is not
   * stored. With another status or user now, nothing of the batch is kept.
   */
  readonly senders?: readonly {
    readonly peer: ChannelPeer
    readonly status: ChannelSenderStatus | undefined
    readonly userId?: StoredSender['userId']
  }[]
  /**
   * Stores the sender as pending. `entry` and `journal` are then written only if the sender is new and there is room for
   * one more, or if it gets a new code because its last one is not valid anymore.
   */
  readonly knock?: SenderRequest
  /** Its chat, which is stored with it. */
  readonly chat?: ChatRecord
  /** Later messages of `chat` go to another conversation. */
  readonly begins?: { readonly chat: string; readonly conversationId: string }
  /** Which agent answers in the chat from now on. */
  readonly routes?: StoredRoute & { readonly channel: string }
  /** Links the sender to a user. If the code that it takes is not valid now, nothing is stored. */
  readonly links?: SenderLink
  /** Cancels a task as `cancelTask` does. */
  readonly cancels?: { readonly taskId: string; readonly toEvent?: ToTaskEvent }
  /**
   * What it does to a question. If the wait is settled by now, or the notice has another code, no message of the batch is stored.
   */
  readonly step?: NoticeStep
  /** A message to a run, as `insertRunInput` stores it. If the run has ended by now, no message of the batch is stored. */
  readonly steers?: NewRunInput
  readonly journal: readonly NewJournalEvent[]
}

/** What became of a message. `silent`: its keys were claimed, and nothing else was written. */
export type AcceptanceOutcome =
  | { readonly kind: 'kept'; readonly cancellation?: TaskCancellation }
  | { readonly kind: 'duplicate' }
  | { readonly kind: 'silent' }

/** Messages that are kept in one write. */
export interface AcceptanceBatch {
  readonly now: string
  readonly acceptances: readonly MessageAcceptance[]
  /** Where asking goes on, when they were asked for. Only who has the lease of `source` may write. */
  readonly polled?: { readonly source: string; readonly owner: string; readonly nextOffset: number }
}
