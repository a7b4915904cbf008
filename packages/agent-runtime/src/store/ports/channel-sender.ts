import type { ChannelSenderKind, ChannelSenderStatus } from '@homeward/contract/agent-platform'
import type { NewJournalEvent } from './journal.ts'

/** A person or a group at a channel. */
export interface ChannelPeer {
  readonly channel: string
  /** The platform's id. */
  readonly id: string
  readonly kind: ChannelSenderKind
  readonly name?: string
}

/** A person or a group that has asked to be let in, or about which somebody has decided. */
export interface StoredSender {
  readonly channel: string
  readonly id: string
  /** Absent until the first message shows it. */
  readonly kind?: ChannelSenderKind
  readonly name?: string
  readonly status: ChannelSenderStatus
  /** Pairing code, and until when it is valid: both or neither, and only for pending senders. */
  readonly code?: string
  readonly codeUntil?: string
  /** User that the person's messages belong to. Absent: one of their own. */
  readonly userId?: string
  readonly firstSeenAt: string
  readonly lastSeenAt: string
}

/** An unknown sender that asks to be let in. */
export interface SenderRequest {
  readonly peer: ChannelPeer
  /** Absent if the sender gets none. */
  readonly pairing?: { readonly code: string; readonly until: string }
  /** Most pending senders of a channel and a kind. The oldest one without a valid code makes room for a new one. */
  readonly maxPending: number
}

/** A decision about a sender. */
export interface SenderDecision {
  readonly channel: string
  readonly id: string
  /** Absent: it stays. */
  readonly status?: 'allowed' | 'blocked'
  /** For a sender that is not stored yet. */
  readonly kind?: ChannelSenderKind
  /** Only if it is pending and this is its code. */
  readonly code?: string
  readonly now: string
  /**
   * Sent to the person's private chat if the person waited or was blocked before, and that chat is stored. Written with the
   * decision, so it is sent once. @default nothing is sent
   */
  readonly welcome?: { readonly id: string; readonly text: string }
  /** Links the person to a user, or undoes that. @default as it is */
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
