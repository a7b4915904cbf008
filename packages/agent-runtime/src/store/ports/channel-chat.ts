import type { ReplyTarget } from '../../ports/channel.ts'
import type { ChannelPeer } from './channel-sender.ts'
import type { StoredTask } from './task-store.ts'

/** The chat of a message that came in. */
export interface SeenChat {
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
export interface StoredChat extends Omit<SeenChat, 'conversationId'> {
  readonly lastSeenAt: string
}

/** What works and waits for a chat. */
export interface ChatWork {
  /** The oldest task that has not ended. */
  readonly task?: StoredTask
  /** How many tasks have not ended, this one included. */
  readonly count: number
}
