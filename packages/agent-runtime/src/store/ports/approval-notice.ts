import type { JsonObject } from '@homeward/contract/agent-platform'
import type { MessageButton } from '../../ports/channel.ts'
import type { StoredWait, WaitSettlement } from './wait.ts'
import type { NewChannelMessage } from './channel-store.ts'

/** What the answer of a message has in addition to its text. */
export interface MessageNotice {
  /** Buttons below it, on a platform that has some. */
  readonly buttons?: readonly MessageButton[]
  /** Message whose answer it replaces, on a platform that can. */
  readonly replaces?: string
  /** Answers to the fields before this one, if a question has several. */
  readonly given?: JsonObject
}

/** Where a call that waits for a person, or a question, is announced. */
export interface ApprovalNotice {
  readonly runId: string
  /** Id of the wait. */
  readonly approvalId: string
  readonly channel: string
  /** The chat, as `NewChannelMessage.conversationId` names it. */
  readonly chat: string
  /** What a person types to decide, in this chat only. */
  readonly code: string
  /** The message that announces the call. */
  readonly messageId: string
  /** Whether messages of this chat wait for the decision, because the run answers there. */
  readonly isBlocking: boolean
}

/** A notice, with its wait as it is now. */
export interface StoredApprovalNotice extends ApprovalNotice {
  readonly wait: StoredWait
}

/** An approval that has been looked at: it is announced in these chats, or in none. */
export interface ApprovalNoticeInput {
  readonly runId: string
  readonly approvalId: string
  readonly notices: readonly {
    readonly notice: Omit<ApprovalNotice, 'runId' | 'approvalId' | 'messageId' | 'channel' | 'chat'>
    readonly message: NewChannelMessage
  }[]
}

/** A notice whose approval is decided, with the message that says so. */
export interface ApprovalNoticeClose {
  readonly runId: string
  readonly approvalId: string
  readonly chat: string
  /** Absent if nothing has to be said. */
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

/** Announcements of calls that wait, part of `ChannelStore`. */
export interface ApprovalNoticeStore {
  /** Waits that are open and were not looked at yet, oldest first; at most `limit`. */
  listUnannounced(limit: number, signal?: AbortSignal): Promise<StoredWait[]>
  /**
   * Stores an announcement with its messages in one write: once for each approval, and only while the call waits.
   *
   * @returns whether it was stored.
   */
  announceApproval(announcement: ApprovalNoticeInput, signal?: AbortSignal): Promise<boolean>
  /** Notices that are open although their approval is decided, oldest first; at most `limit`. */
  listClosableNotices(limit: number, signal?: AbortSignal): Promise<StoredApprovalNotice[]>
  /** Closes a notice with its message in one write, once. @returns whether it was open. */
  closeNotice(closing: ApprovalNoticeClose, signal?: AbortSignal): Promise<boolean>
  /** Notices of a chat whose calls wait, oldest first; with a code also the notice of that code, decided or not. */
  findChatNotices(chat: string, code?: string, signal?: AbortSignal): Promise<StoredApprovalNotice[]>
}
