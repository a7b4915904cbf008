import type { ConversationAppend } from './conversation-store.ts'
import type { NewAuditEntry } from './audit-store.ts'
import type { WithContents } from './file-store.ts'
import type { AcceptanceBatch, AcceptanceOutcome } from './channel-acceptance.ts'
import type { ChannelMessageStatus } from '@homeward/contract/agent-platform'
import type { OutboundPart, ReplyTarget } from '../../ports/channel.ts'
import type { LoadedInput, StoredInboundFile } from './channel-input.ts'
import type { FileReference } from '../../ports/file.ts'
import type { NewJournalEvent } from './journal.ts'
import type { Lease } from './lease.ts'
import type { Page, PageRequest } from './page.ts'
import type { ChatStore } from './channel-chat.ts'
import type { ApprovalNoticeStore, MessageNotice } from './approval-notice.ts'
import type { SenderDecision, StoredSender } from './channel-sender.ts'
import type { StoredTask } from './task-store.ts'

/** A received message to answer, or a message that the agent starts. Times are ISO 8601 text in UTC. */
export interface NewChannelMessage {
  readonly id: string
  readonly channel: string
  /** Conversation. Its answers are sent in the order of its messages. */
  readonly conversationId: string
  /** Sender. Absent for a message that the agent starts. */
  readonly sender?: { readonly id: string; readonly name?: string }
  /** Text. Empty for a report. */
  readonly text: string
  /** Files to load before the task starts. @default no files */
  readonly files?: readonly StoredInboundFile[]
  /** Target of the answer. */
  readonly target: ReplyTarget
  /** Task that answers the message; absent if the answer already exists. */
  readonly taskId?: string
  /** Files to send after the answer, for a message that the agent starts. Stored with it. @default no files */
  readonly sentFiles?: readonly FileReference[]
  /**
   * Whether the message is a report about the task. It waits for no other message of its conversation, and none waits
   * for it.
   */
  readonly isReport?: true
  /**
   * The answer in Markdown, for a message without a task. It is sent at once, even if other messages of its
   * conversation wait.
   */
  readonly answer?: string
  /** Whether the answer comes from a run that had read untrusted content. @default false */
  readonly isUntrusted?: true
  /** Whether the message was sent in a group. */
  readonly isGroup?: true
  /** Present if the answer is about a call that waits for approval. */
  readonly notice?: MessageNotice
  readonly receivedAt: string
}

/** One message of an answer: a text, or a file without a text. */
export interface NewOutPart extends OutboundPart {
  /** A stored file. Its bytes are read when it is sent. */
  readonly file?: FileReference
}

/** One part of an answer with its delivery status. */
export interface StoredOutboundPart extends NewOutPart {
  /**
   * Delivery status. `sending` is stored before the request, so after a crash the outcome of such a part is unknown.
   */
  readonly state: 'pending' | 'sending' | 'sent'
  /** Whether the part is sent without formatting, because the platform rejected the formatting. */
  readonly isPlain: boolean
  /** Id of the sent part on the platform. */
  readonly platformId?: string
}

/** Reason why an answer was not delivered, or may not have arrived. For people; contains no secrets. */
export interface DeliveryFailure {
  readonly code: string
  readonly message: string
}

/** A message with the delivery status of its answer, as stored. */
export interface StoredChannelMessage extends NewChannelMessage {
  readonly status: ChannelMessageStatus
  /** Parts of the answer. Empty until the answer exists. */
  readonly parts: readonly StoredOutboundPart[]
  /** Number of attempts for the current part that the platform rejected temporarily. */
  readonly tries: number
  /** Earliest time of the next attempt. */
  readonly nextAt?: string
  readonly failure?: DeliveryFailure
  readonly lease?: Lease
  readonly updatedAt: string
}

/** Selects the answers to deliver. */
export interface DeliveryClaim {
  readonly lease: Lease
  readonly now: string
  /** Channels to deliver for, each with a maximum number of answers. */
  readonly channels: readonly { readonly channel: string; readonly limit: number }[]
}

/** An answer to deliver, with its ended task; undefined if the task no longer exists. */
export interface Delivery {
  readonly message: StoredChannelMessage
  readonly task: StoredTask | undefined
}

/** New state of a part. */
export interface PartUpdate {
  readonly index: number
  readonly state: StoredOutboundPart['state']
  readonly isPlain?: boolean
  readonly platformId?: string
}

/** New state of a delivery. Only the owner of its lease may write it. */
export interface DeliveryWrite {
  readonly id: string
  readonly owner: string
  readonly now: string
  /** The answer as it will be sent. Stored once. */
  readonly outbox?: readonly NewOutPart[]
  /**
   * Messages to append to the chat's conversation together with the `outbox`, as `appendMessages` does. Skipped if
   * the conversation belongs to another user in the meantime.
   */
  readonly said?: ConversationAppend
  readonly parts?: readonly PartUpdate[]
  /** Outcome; absent while the delivery continues. `later` and `ended` release the lease. */
  readonly outcome?:
    | { readonly kind: 'later'; readonly at: string; readonly tries: number }
    | {
        readonly kind: 'ended'
        readonly status: 'delivered' | 'failed' | 'uncertain'
        readonly failure?: DeliveryFailure
      }
  readonly journal: readonly NewJournalEvent[]
}

/** A person's decision about an answer that failed or is uncertain. */
export interface ChannelDecision {
  readonly id: string
  readonly decision: 'resend' | 'discard'
  readonly now: string
}

/** Filter for messages. Absent fields match everything. */
export interface ChannelMessageFilter {
  readonly channel?: string | undefined
  readonly conversationId?: string | undefined
  readonly status?: ChannelMessageStatus | undefined
}

/** Inbox and outbox of the messaging channels. Implementations must pass `channelStoreConformance`. */
export interface ChannelStore extends ApprovalNoticeStore, ChatStore {
  /**
   * Stores messages with their tasks in one write. Tasks are queued even if another task with the same `serialKey`
   * has not ended.
   *
   * @returns the outcome of each message: `duplicate` if one of its keys is claimed and not expired. `changed`, and
   * nothing is stored, if a sender has another status or user than at the check, a code expired, a question was
   * settled, or a run that gets a message has ended. Undefined, and nothing is stored, if the owner has lost the
   * lease of the source.
   */
  acceptMessages(
    batch: AcceptanceBatch,
    signal?: AbortSignal,
  ): Promise<readonly AcceptanceOutcome[] | 'changed' | undefined>
  /**
   * Stores the final content of a message after its files were loaded, also in its task. The message then has no
   * `files`, so a run that restarts after a crash gets the same input.
   *
   * @returns false without a change, unless the owner holds the task and none of its runs has started.
   */
  saveLoadedInput(input: LoadedInput, signal?: AbortSignal): Promise<boolean>
  /**
   * Claims answers to deliver, as `delivering`, oldest first.
   *
   * An answer can be claimed if its task has ended, it is due and unclaimed, and no older message of its conversation
   * is `waiting` or `delivering`. Messages without a task wait only for each other. Reports wait only for their task.
   */
  claimDeliveries(claim: DeliveryClaim, signal?: AbortSignal): Promise<Delivery[]>
  /** Renews the leases of deliveries. @returns those that the owner still holds. Stop work on the others. */
  renewDeliveries(lease: Lease, ids: readonly string[], signal?: AbortSignal): Promise<readonly string[]>
  /**
   * Stores a message that the agent starts, for delivery. If a message with this id exists, that one is returned and
   * nothing is stored: `created` is false.
   */
  sendChannelMessage(
    message: WithContents<NewChannelMessage>,
    signal?: AbortSignal,
  ): Promise<{ readonly message: StoredChannelMessage; readonly created: boolean }>
  /** Records the state of a delivery. @returns false without a change if the owner has lost it. */
  saveDelivery(write: DeliveryWrite, signal?: AbortSignal): Promise<boolean>
  /**
   * Applies a decision: `resend` sends the unconfirmed parts again, `discard` leaves them unsent. Not written to the
   * journal.
   *
   * @returns the message after the change; undefined without a change, unless it is `failed` or `uncertain`.
   */
  resolveChannelMessage(
    decision: ChannelDecision,
    signal?: AbortSignal,
  ): Promise<StoredChannelMessage | undefined>
  /** Finds a message of a channel. @returns undefined if it does not exist. */
  findChannelMessage(id: string, signal?: AbortSignal): Promise<StoredChannelMessage | undefined>
  /** Lists messages, newest first. */
  listChannelMessages(
    filter: ChannelMessageFilter,
    page: PageRequest,
    signal?: AbortSignal,
  ): Promise<Page<StoredChannelMessage>>
  /** Counts unfinished messages of a channel. `waiting` includes those being delivered. */
  countChannelMessages(
    channel: string,
    signal?: AbortSignal,
  ): Promise<{ readonly waiting: number; readonly failed: number; readonly uncertain: number }>
  /**
   * Claims or renews the lease for polling a source. Only one process at a time holds it.
   *
   * @returns the next offset; undefined if another process holds the lease.
   */
  claimPolling(
    source: string,
    lease: Lease,
    now: string,
    signal?: AbortSignal,
  ): Promise<{ readonly offset?: number } | undefined>
  /** Releases the polling lease. */
  releasePolling(source: string, owner: string, signal?: AbortSignal): Promise<void>
  /** Finds those of the given senders that are stored, in any order. */
  findChannelSenders(
    channel: string,
    ids: readonly string[],
    signal?: AbortSignal,
  ): Promise<readonly StoredSender[]>
  /** Finds the sender with this link code. Blocked senders and expired codes are not found. */
  findSenderByCode(code: string, now: string, signal?: AbortSignal): Promise<StoredSender | undefined>
  /** Lists all senders of a channel, the most recently seen first. */
  listChannelSenders(channel: string, signal?: AbortSignal): Promise<readonly StoredSender[]>
  /**
   * Allows or blocks a sender and removes its pairing code, or links it to a user. An unknown sender with a status is
   * stored.
   *
   * @returns undefined without a change if `code` is given and is not the valid code of the pending sender, or if the
   * sender is unknown and no `status` is given.
   */
  decideChannelSender(
    decision: SenderDecision,
    audit?: NewAuditEntry,
    signal?: AbortSignal,
  ): Promise<StoredSender | undefined>
}
