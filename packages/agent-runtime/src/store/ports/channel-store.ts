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

/** A message that came in and is to be answered, or one that starts with the agent. Times are ISO 8601 text in UTC. */
export interface NewChannelMessage {
  readonly id: string
  readonly channel: string
  /** Answers of one conversation go out in the order of its messages. */
  readonly conversationId: string
  /** Absent for a message that starts with the agent. */
  readonly sender?: { readonly id: string; readonly name?: string }
  /** Empty for a report. */
  readonly text: string
  /** Files that are loaded before its task begins. @default none */
  readonly files?: readonly StoredInboundFile[]
  /** Where the answer goes. */
  readonly target: ReplyTarget
  /** Task that answers it; absent if the answer is there already. */
  readonly taskId?: string
  /** Files that are sent after the answer of a message that starts with the agent; stored with it. @default none */
  readonly sentFiles?: readonly FileReference[]
  /** A report about the task: it waits for no other message of its conversation, and none waits for it. */
  readonly isReport?: true
  /**
   * The answer in Markdown, for a message without a task. It is sent at once, whatever else of its conversation waits.
   */
  readonly answer?: string
  /** Whether a run wrote it that had read what a stranger may have written. @default false */
  readonly isUntrusted?: true
  /** Whether it was written in a group. */
  readonly isGroup?: true
  /** Present if the answer is about a call that waits for a person. */
  readonly notice?: MessageNotice
  readonly receivedAt: string
}

/** One message of an answer: a text, or a file without a text. */
export interface NewOutPart extends OutboundPart {
  /** A stored file. Its bytes are read when it is sent. */
  readonly file?: FileReference
}

/** One message of an answer, on its way. */
export interface StoredOutboundPart extends NewOutPart {
  /** `sending` is written before it leaves: behind a crash nobody can tell whether it did. */
  readonly state: 'pending' | 'sending' | 'sent'
  /** Whether it goes out without format, because the platform refused that. */
  readonly isPlain: boolean
  /** The platform's id of it. */
  readonly platformId?: string
}

/** Why an answer was not delivered, or what is not known. For people; holds no secret. */
export interface DeliveryFailure {
  readonly code: string
  readonly message: string
}

/** A message and the way of its answer, as they are kept. */
export interface StoredChannelMessage extends NewChannelMessage {
  readonly status: ChannelMessageStatus
  /** Empty until the answer is there. */
  readonly parts: readonly StoredOutboundPart[]
  /** Sends of the present part that the platform has refused for now. */
  readonly tries: number
  /** Not before. */
  readonly nextAt?: string
  readonly failure?: DeliveryFailure
  readonly lease?: Lease
  readonly updatedAt: string
}

/** Selects the answers to deliver. */
export interface DeliveryClaim {
  readonly lease: Lease
  readonly now: string
  /** Only these channels, each with how many of it at the most. */
  readonly channels: readonly { readonly channel: string; readonly limit: number }[]
}

/** An answer to deliver, with its task as it ended; undefined when the task is gone. */
export interface Delivery {
  readonly message: StoredChannelMessage
  readonly task: StoredTask | undefined
}

/** How a part has changed. */
export interface PartUpdate {
  readonly index: number
  readonly state: StoredOutboundPart['state']
  readonly isPlain?: boolean
  readonly platformId?: string
}

/** What has become of a delivery. Only the owner of its lease may write. */
export interface DeliveryWrite {
  readonly id: string
  readonly owner: string
  readonly now: string
  /** The answer as it will be sent: kept once. */
  readonly outbox?: readonly NewOutPart[]
  /**
   * What the conversation of the chat gets with the `outbox`, as `appendMessages` does; nothing if that is somebody else's by
   * then.
   */
  readonly said?: ConversationAppend
  readonly parts?: readonly PartUpdate[]
  /** Absent: it goes on. `later` and `ended` give the lease back. */
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

/** Which messages. Absent fields match everything. */
export interface ChannelMessageFilter {
  readonly channel?: string | undefined
  readonly conversationId?: string | undefined
  readonly status?: ChannelMessageStatus | undefined
}

/** Inbox and outbox of the messaging channels (A1). Implementations must pass `channelStoreConformance`. */
export interface ChannelStore extends ApprovalNoticeStore, ChatStore {
  /**
   * Keeps messages with their tasks in one write. A task that waits for another one of its `serialKey` is queued all the
   * same.
   *
   * @returns the outcome of each: `duplicate` if one of its keys is taken and not expired. `changed`, and nothing is kept,
   * if a sender has another status or user than that by which its message was judged, a code is not valid anymore, a question
   * is settled, or a run that gets a message has ended. Undefined, and nothing is kept, if the
   * owner does not hold the lease of the source anymore.
   */
  acceptMessages(
    batch: AcceptanceBatch,
    signal?: AbortSignal,
  ): Promise<readonly AcceptanceOutcome[] | 'changed' | undefined>
  /**
   * Stores what a message has become once its files were loaded, in its task too. The message has no `files` from then on, so
   * that a run that begins again after a crash gets the same.
   *
   * @returns false, and nothing has changed, unless the owner has the task and no run of it has begun.
   */
  saveLoadedInput(input: LoadedInput, signal?: AbortSignal): Promise<boolean>
  /**
   * Takes answers to deliver, as `delivering`: their task has ended, it is time, nobody has them, and no older message of
   * their conversation is `waiting` or `delivering`. Oldest first. Messages without a task wait only for each other, and
   * reports for nothing but their task.
   */
  claimDeliveries(claim: DeliveryClaim, signal?: AbortSignal): Promise<Delivery[]>
  /** Makes the leases of deliveries longer. @returns those that the owner still has. The others are lost: stop. */
  renewDeliveries(lease: Lease, ids: readonly string[], signal?: AbortSignal): Promise<readonly string[]>
  /**
   * Stores a message that starts with the agent, to be delivered. If a message has its id already, that one is given instead
   * and nothing is stored: `created` is false.
   */
  sendChannelMessage(
    message: WithContents<NewChannelMessage>,
    signal?: AbortSignal,
  ): Promise<{ readonly message: StoredChannelMessage; readonly created: boolean }>
  /** Writes how a delivery goes. @returns false, and nothing has changed, when the owner has it no more. */
  saveDelivery(write: DeliveryWrite, signal?: AbortSignal): Promise<boolean>
  /**
   * Carries out a decision: `resend` delivers what has not surely been sent, `discard` lets it be. Not written into the
   * journal.
   *
   * @returns the message as it is now; undefined, and nothing has changed, unless it is `failed` or `uncertain`.
   */
  resolveChannelMessage(
    decision: ChannelDecision,
    signal?: AbortSignal,
  ): Promise<StoredChannelMessage | undefined>
  /** @returns undefined when there is none. */
  findChannelMessage(id: string, signal?: AbortSignal): Promise<StoredChannelMessage | undefined>
  /** Newest first. */
  listChannelMessages(
    filter: ChannelMessageFilter,
    page: PageRequest,
    signal?: AbortSignal,
  ): Promise<Page<StoredChannelMessage>>
  /** How many messages of a channel are not done with: `waiting` includes those being delivered. */
  countChannelMessages(
    channel: string,
    signal?: AbortSignal,
  ): Promise<{ readonly waiting: number; readonly failed: number; readonly uncertain: number }>
  /**
   * Takes the lease on asking a source for messages, or makes it longer. One at a time has it.
   *
   * @returns where to go on; undefined when somebody else has it.
   */
  claimPolling(
    source: string,
    lease: Lease,
    now: string,
    signal?: AbortSignal,
  ): Promise<{ readonly offset?: number } | undefined>
  /** Gives that lease back. */
  releasePolling(source: string, owner: string, signal?: AbortSignal): Promise<void>
  /** Those of the given senders that are stored, in any order. */
  findChannelSenders(
    channel: string,
    ids: readonly string[],
    signal?: AbortSignal,
  ): Promise<readonly StoredSender[]>
  /** The sender that offers to be linked by this code, unless it is blocked or the code has expired. */
  findSenderByCode(code: string, now: string, signal?: AbortSignal): Promise<StoredSender | undefined>
  /** All senders of a channel, the one seen last first. */
  listChannelSenders(channel: string, signal?: AbortSignal): Promise<readonly StoredSender[]>
  /**
   * Allows or blocks a sender, and removes its pairing code; or links it. One that is not stored is stored, with a status.
   *
   * @returns undefined, and nothing has changed, if `code` is given and is not the valid code of the pending sender, or if
   * there is neither a `status` nor such a sender.
   */
  decideChannelSender(
    decision: SenderDecision,
    audit?: NewAuditEntry,
    signal?: AbortSignal,
  ): Promise<StoredSender | undefined>
}
