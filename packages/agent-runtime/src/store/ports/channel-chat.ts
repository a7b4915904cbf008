import type { NewAuditEntry } from './audit-store.ts'
import type { ReplyTarget } from '../../ports/channel.ts'
import type { ChannelPeer } from './channel-sender.ts'
import type { StoredTask } from './task-store.ts'

/** The chat of a received message. */
export interface ChatRecord {
  /** Id of the chat: the `conversationId` of its messages. */
  readonly id: string
  readonly channel: string
  /** Target for messages that the agent starts. */
  readonly target: ReplyTarget
  /** The group, or the person in a private chat. */
  readonly peer: Pick<ChannelPeer, 'id' | 'kind'>
  /** Conversation of the message; absent for a command. */
  readonly conversationId?: string
}

/** A stored chat. */
export interface StoredChat extends Omit<ChatRecord, 'conversationId'> {
  readonly lastSeenAt: string
}

/** A stored route: the agent that answers in a chat. */
export interface StoredRoute {
  /** The platform's id of the chat; for one thread, the part of its id after the name of the channel. */
  readonly conversation: string
  readonly agentId: string
}

/** Store of chats and their routes. */
export interface ChatStore {
  /**
   * Finds a chat of a channel by its id, by its id without the name of the channel, or by the conversation of its
   * messages.
   *
   * @returns undefined if it does not exist.
   */
  findChat(channel: string, conversationId: string, signal?: AbortSignal): Promise<StoredChat | undefined>
  /** Returns the conversation that a chat started with `begins`. @returns undefined if it started none. */
  findChatConversation(chat: string, signal?: AbortSignal): Promise<string | undefined>
  /** Returns the active and waiting work for a chat's messages. */
  findChatWork(chat: string, signal?: AbortSignal): Promise<ChatWork>
  /** Replaces all routes of a channel. */
  setChannelRoutes(
    channel: string,
    routes: readonly StoredRoute[],
    audit?: NewAuditEntry,
    signal?: AbortSignal,
  ): Promise<true>
  /** Lists all routes of a channel, sorted by conversation. */
  listChannelRoutes(channel: string, signal?: AbortSignal): Promise<readonly StoredRoute[]>
  /** Finds the routes of a channel for any of the conversations, in any order. */
  findChannelRoutes(
    channel: string,
    conversations: readonly string[],
    signal?: AbortSignal,
  ): Promise<readonly StoredRoute[]>
}

/** Active and waiting work of a chat. */
export interface ChatWork {
  /** The oldest task that has not ended. */
  readonly task?: StoredTask
  /** Number of tasks that have not ended, including this one. */
  readonly count: number
}
