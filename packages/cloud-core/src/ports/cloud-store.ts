import type { AuditStore } from './audit-store.ts'
import type { CloudSignal } from './cloud-signal.ts'
import type { DeviceStore } from './device-store.ts'
import type { SearchStore } from './search-store.ts'
import type { UploadStore } from './upload-store.ts'

/** Work that waits for a device. */
export interface PendingCounts {
  readonly searches: number
  readonly uploads: number
}

/**
 * Everything the device cloud remembers, behind verbs that are atomic by contract.
 *
 * Texts are compared and kept to the letter, whatever the collation of a database: `Ann` and `ann` are two owners. Times
 * count to the millisecond.
 *
 * Statement budget, counted by the conformance kit: a poll is one read, a report that settles is one write, an
 * authentication that is not cached is one read.
 */
export interface CloudStore extends DeviceStore, SearchStore, UploadStore, AuditStore {
  /** How much is pending for one device at `now`, in one read. */
  countPending(deviceId: string, now: string, signal?: AbortSignal): Promise<PendingCounts>

  /**
   * Tells what other processes on the same storage change, once it is committed; what this one changes is not told. Left
   * out by storages that no other process writes to, or that cannot tell: held polls then end with their time.
   *
   * @returns ends it
   */
  subscribe?(listener: (signal: CloudSignal) => void): () => void

  /** Ends what is under way and releases the storage. Safe to call twice. */
  close(): Promise<void>
}
