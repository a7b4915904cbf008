import type { StoredChannelMessage } from '../store/ports/channel-store.ts'
import type { Lease } from '../store/ports/lease.ts'

/** A message as it is kept in memory: never changed, but replaced. */
export interface ChannelRecord {
  readonly seq: number
  message: StoredChannelMessage
}

/** Where asking a source goes on, and who asks. */
export interface PollRecord {
  readonly offset?: number
  readonly lease?: Lease
}

/** Everything about messaging channels of a store in memory. */
export interface ChannelRecords {
  /** In the order in which they were kept. */
  readonly messages: Map<string, ChannelRecord>
  /** Ids of those whose answer is waited for or on its way, the oldest first. */
  readonly open: Set<string>
  /** Ids of those that are done with, in the order they were. */
  readonly done: Set<string>
  /** Until when each key is taken. */
  readonly keys: Map<string, string>
  readonly polls: Map<string, PollRecord>
  lastSeq: number
}

/** No messages. */
export function createChannelRecords(): ChannelRecords {
  return {
    messages: new Map(),
    open: new Set(),
    done: new Set(),
    keys: new Map(),
    polls: new Map(),
    lastSeq: 0,
  }
}
