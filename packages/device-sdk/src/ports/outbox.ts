import type { SearchReport, SearchRequest } from '@homeward/contract/device-cloud'

/** What the device still owes the cloud for one search. */
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
  /** Everything kept, oldest `createdAt` first. */
  list(): Promise<readonly OutboxEntry[]>
  /** Keeps an entry; replaces the one of the same `queryId`. */
  put(entry: OutboxEntry): Promise<void>
  /** Forgets an entry. Forgetting what is not there is no error. */
  delete(queryId: string): Promise<void>
  /**
   * Gives up files and locks. The agent calls it when nothing of it runs any more: after `stop()` and after each
   * `tick()`; the next call of any method opens it again.
   */
  close?(): Promise<void>
}
