import type { NewAuditEntry } from './audit-store.ts'
import type { ReplyTarget } from '../../ports/channel.ts'
import type { ChannelPeer } from './channel-sender.ts'
import type { StoredTask } from './task-store.ts'

/** The chat of a message that came in. */
export interface ChatRecord {
  /** Id of the chat: the `conversationId` of its messages. */
  readonly id: string
  readonly channel: string
  /** Where a message that starts with the agent goes. */
  readonly target: ReplyTarget
  /** The group, or the person in a private chat. */
  readonly peer: Pick<ChannelPeer, 'id' | 'kind'>
  /** Conversation that the message belongs to; absent for a command. */
  readonly conversationId?: string
}

/** A chat as it is stored. */
export interface StoredChat extends Omit<ChatRecord, 'conversationId'> {
  readonly lastSeenAt: string
}

/** Which agent answers in a chat. */
export interface StoredRoute {
  /** The platform's id of the chat, or what follows the name of the channel in the id of one thread. */
  readonly conversation: string
  readonly agentId: string
}

/** Where chats are, and who answers there. */
export interface ChatStore {
  /**
   * Finds a chat of a channel by its id, by its id without the name of the channel, or by a conversation that its messages
   * belong to. @returns undefined if there is none.
   */
  findChat(channel: string, conversationId: string, signal?: AbortSignal): Promise<StoredChat | undefined>
  /** The conversation that a chat has begun with `begins`. @returns undefined if it has not. */
  findChatConversation(chat: string, signal?: AbortSignal): Promise<string | undefined>
  /** What works and waits for the messages of a chat. */
  findChatWork(chat: string, signal?: AbortSignal): Promise<ChatWork>
  /** Replaces all routes of a channel. */
  setChannelRoutes(
    channel: string,
    routes: readonly StoredRoute[],
    audit?: NewAuditEntry,
    signal?: AbortSignal,
  ): Promise<true>
  /** All routes of a channel, by conversation. */
  listChannelRoutes(channel: string, signal?: AbortSignal): Promise<readonly StoredRoute[]>
  /** Those routes of a channel that are for one of the conversations, in any order. */
  findChannelRoutes(
    channel: string,
    conversations: readonly string[],
    signal?: AbortSignal,
  ): Promise<readonly StoredRoute[]>
}

/** What works and waits for a chat. */
export interface ChatWork {
  /** The oldest task that has not ended. */
  readonly task?: StoredTask
  /** How many tasks have not ended, this one included. */
  readonly count: number
}
