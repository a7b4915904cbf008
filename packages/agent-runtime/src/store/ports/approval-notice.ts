import type { JsonObject } from '@homeward/contract/agent-platform'
import type { MessageButton } from '../../ports/channel.ts'
import type { StoredWait, WaitSettlement } from './wait.ts'
import type { NewChannelMessage } from './channel-store.ts'

/** Additions to the text of a message's answer. */
export interface MessageNotice {
  /** Buttons below the message, if the platform supports buttons. */
  readonly buttons?: readonly MessageButton[]
  /** Message whose answer is replaced, if the platform supports it. */
  readonly replaces?: string
  /** Answers to earlier fields of a question with several fields. */
  readonly given?: JsonObject
}

/** An announcement of a waiting call or a question in a chat. */
export interface ApprovalNotice {
  readonly runId: string
  /** Id of the wait. */
  readonly approvalId: string
  readonly channel: string
  /** Chat of the announcement, as in `NewChannelMessage.conversationId`. */
  readonly chat: string
  /** Code that a person types to decide, valid only in this chat. */
  readonly code: string
  /** Message of the announcement. */
  readonly messageId: string
  /** Whether messages of this chat wait for the decision, because the run answers in it. */
  readonly isBlocking: boolean
}

/** A notice with the current state of its wait. */
export interface StoredApprovalNotice extends ApprovalNotice {
  readonly wait: StoredWait
}

/** The result of checking an approval: the chats that announce it, if any. */
export interface ApprovalNoticeInput {
  readonly runId: string
  readonly approvalId: string
  readonly notices: readonly {
    readonly notice: Omit<ApprovalNotice, 'runId' | 'approvalId' | 'messageId' | 'channel' | 'chat'>
    readonly message: NewChannelMessage
  }[]
}

/** Closes a notice of a decided approval, with a message about the decision. */
export interface ApprovalNoticeClose {
  readonly runId: string
  readonly approvalId: string
  readonly chat: string
  /** Closing message; absent if none is needed. */
  readonly message?: NewChannelMessage
}

/** What a message of a person does to a question of its chat. */
export interface NoticeStep extends Pick<ApprovalNotice, 'runId' | 'approvalId' | 'chat'> {
  /** Code of the notice when the message was judged. */
  readonly code: string
  /** Settles the wait; the notice is closed. */
  readonly settles?: WaitSettlement
  /** Asks for the next field: the code and the message of the notice from now on. */
  readonly next?: { readonly code: string; readonly message: NewChannelMessage }
  /** Takes the place of the announcement. */
  readonly replacement?: NewChannelMessage
}

/** Store of announcements, part of `ChannelStore`. */
export interface ApprovalNoticeStore {
  /** Lists open waits that were not checked yet, oldest first, at most `limit`. */
  listUnannounced(limit: number, signal?: AbortSignal): Promise<StoredWait[]>
  /**
   * Stores an announcement with its messages in one write, once per approval and only while the call waits.
   *
   * @returns whether it was stored.
   */
  announceApproval(announcement: ApprovalNoticeInput, signal?: AbortSignal): Promise<boolean>
  /** Lists open notices whose approval is decided, oldest first, at most `limit`. */
  listClosableNotices(limit: number, signal?: AbortSignal): Promise<StoredApprovalNotice[]>
  /** Closes a notice and stores its closing message in one write, once. @returns whether it was open. */
  closeNotice(closing: ApprovalNoticeClose, signal?: AbortSignal): Promise<boolean>
  /**
   * Finds the notices of a chat whose calls wait, oldest first. With a code, also the notice with that code, decided
   * or not.
   */
  findChatNotices(chat: string, code?: string, signal?: AbortSignal): Promise<StoredApprovalNotice[]>
}
