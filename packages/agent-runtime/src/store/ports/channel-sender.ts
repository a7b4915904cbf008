import type { ChannelSenderKind, ChannelSenderStatus } from '@homeward/contract/agent-platform'
import type { NewJournalEvent } from './journal.ts'

/** A person or group on a channel. */
export interface ChannelPeer {
  readonly channel: string
  /** Id on the platform. */
  readonly id: string
  readonly kind: ChannelSenderKind
  readonly name?: string
}

/** A person or group that needs or has a decision. */
export interface StoredSender {
  readonly channel: string
  readonly id: string
  /** Kind. Absent until the first message shows it. */
  readonly kind?: ChannelSenderKind
  readonly name?: string
  readonly status: ChannelSenderStatus
  /** Pairing code and its expiry: both or neither, and only for pending senders. */
  readonly code?: string
  readonly codeUntil?: string
  /** User of the person's messages. Absent: a user of their own. */
  readonly userId?: string
  readonly firstSeenAt: string
  readonly lastSeenAt: string
}

/** An unknown sender that needs permission. */
export interface SenderRequest {
  readonly peer: ChannelPeer
  /** Pairing code. Absent if the sender gets none. */
  readonly pairing?: { readonly code: string; readonly until: string }
  /** Maximum number of pending senders per channel and kind. A new one replaces the oldest without a valid code. */
  readonly maxPending: number
}

/** A decision about a sender. */
export interface SenderDecision {
  readonly channel: string
  readonly id: string
  /** New status. Absent: unchanged. */
  readonly status?: 'allowed' | 'blocked'
  /** Kind of a sender that is not stored yet. */
  readonly kind?: ChannelSenderKind
  /** Applies the decision only if the sender is pending and has this code. */
  readonly code?: string
  readonly now: string
  /**
   * Message for the person's private chat, if the person was pending or blocked and the chat is stored. Stored with
   * the decision, so it is sent once.
   *
   * @default no message
   */
  readonly welcome?: { readonly id: string; readonly text: string }
  /** Links the person to a user, or removes the link. @default unchanged */
  readonly link?: Pick<SenderLink, 'own'> & { readonly userId: string | null }
  readonly journal: readonly NewJournalEvent[]
}

/** What is to become of the user that a person's messages belong to. */
export interface SenderLink {
  readonly peer: ChannelPeer
  /** User id of the person without a link. */
  readonly own: string
  /** A code by which another sender can join this one's user. Replaces the one before. */
  readonly offer?: { readonly code: string; readonly until: string }
  readonly change?: {
    /**
     * User that the messages belong to from now on, together with the memories and idle conversations of `own`, and with the
     * senders that are linked to `own`. Null: `own` again, for what comes later; of one that others are linked to, they leave.
     */
    readonly userId: string | null
    /** The offer that is taken, and its sender as it was judged. */
    readonly code?: {
      readonly text: string
      readonly sender: Pick<StoredSender, 'channel' | 'id' | 'userId'>
    }
  }
}
