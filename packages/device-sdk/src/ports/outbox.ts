import type { SearchReport, SearchRequest } from '@homeward/contract/device-cloud'

/** A report of one search that the cloud does not have yet. */
export type OutboxEntry =
  | {
      readonly queryId: string
      readonly state: 'running'
      readonly request: SearchRequest
      readonly createdAt: string
    }
  | {
      readonly queryId: string
      readonly state: 'ready'
      readonly report: SearchReport
      readonly createdAt: string
    }

/**
 * Stores results until the cloud has them.
 *
 * After `put` resolves, an entry in the memory outbox survives a lost connection. An entry in the file outbox of
 * `@homeward/device-sdk/node` also survives a killed process.
 */
export interface Outbox {
  /** Lists all entries, oldest `createdAt` first. */
  list(): Promise<readonly OutboxEntry[]>
  /** Stores an entry, or replaces the one with the same `queryId`. */
  put(entry: OutboxEntry): Promise<void>
  /** Deletes an entry. Does nothing if it does not exist. */
  delete(queryId: string): Promise<void>
  /**
   * Releases files and locks. The agent calls it after `stop()` and after each `runOnce()`. The next call of any
   * method opens the outbox again.
   */
  close?(): Promise<void>
}
