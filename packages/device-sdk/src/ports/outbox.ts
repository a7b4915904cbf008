import type { SearchReport, SearchRequest } from '@homeward/contract/device-cloud'

/** A report for one search that the cloud does not have yet. */
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
 * Where results wait until the cloud has them (C17).
 *
 * What `put` resolved survives whatever the implementation promises: the memory outbox a lost connection,
 * the file outbox of `@homeward/device-sdk/node` a killed process.
 */
export interface Outbox {
  /** All entries, oldest `createdAt` first. */
  list(): Promise<readonly OutboxEntry[]>
  /** Stores an entry, or replaces the entry with the same `queryId`. */
  put(entry: OutboxEntry): Promise<void>
  /** Deletes an entry. If there is no such entry, does nothing. */
  delete(queryId: string): Promise<void>
  /**
   * Gives up files and locks. The agent calls it when nothing of it runs any more: after `stop()` and after each
   * `tick()`; the next call of any method opens it again.
   */
  close?(): Promise<void>
}
