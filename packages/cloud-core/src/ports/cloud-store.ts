import type { AuditStore } from './audit-store.ts'
import type { CatalogStore } from './catalog-store.ts'
import type { CloudSignal } from './cloud-signal.ts'
import type { DeviceStore } from './device-store.ts'
import type { EnrollmentStore } from './enrollment-store.ts'
import type { GroupStore } from './group-store.ts'
import type { PresenceStore } from './presence-store.ts'
import type { QuotaStore } from './quota-store.ts'
import type { RetentionStore } from './retention-store.ts'
import type { SavedSearchStore } from './saved-search-store.ts'
import type { SearchStore } from './search-store.ts'
import type { TokenStore } from './token-store.ts'
import type { UploadStore } from './upload-store.ts'
import type { WebhookStore } from './webhook-store.ts'

/** Numbers of pending requests for a device. */
export interface PendingCounts {
  readonly searches: number
  readonly uploads: number
}

/**
 * The store of a device cloud. Every method is atomic.
 *
 * Texts are compared and stored exactly, whatever the collation of the database: `Ann` and `ann` are two owners.
 * Times have milliseconds.
 *
 * The conformance kit counts statements: a poll is one read, a report that settles a search is one write, and an
 * authentication without the cache is one read.
 */
export interface CloudStore
  extends
    DeviceStore,
    PresenceStore,
    SearchStore,
    GroupStore,
    SavedSearchStore,
    UploadStore,
    AuditStore,
    EnrollmentStore,
    TokenStore,
    WebhookStore,
    RetentionStore,
    QuotaStore,
    CatalogStore {
  /** Counts the pending work of one device at `now`, in one read. */
  countPending(deviceId: string, now: string, signal?: AbortSignal): Promise<PendingCounts>

  /**
   * Adds a listener for committed changes by other processes on the same store. Changes by this process are not
   * included.
   *
   * Omit this method if no other process writes to the store, or the store has no notifications: long polls then last
   * their full time.
   *
   * @returns a function that removes the listener
   */
  subscribe?(listener: (signal: CloudSignal) => void): () => void

  /**
   * Notifies other processes about changes outside the store. Never fails; if a notification is lost, they receive
   * `missed`. Omit this method if there is no {@link subscribe}.
   */
  publish?(signals: readonly CloudSignal[]): void

  /** Stops pending work and closes the store. Can be called twice. */
  close(): Promise<void>
}
