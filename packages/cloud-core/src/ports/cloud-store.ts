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
  /** How much is pending for one device at `now`, in one read. */
  countPending(deviceId: string, now: string, signal?: AbortSignal): Promise<PendingCounts>

  /**
   * Tells what other processes on the same storage change, once it is committed; what this one changes is not told. Left
   * out by storages that no other process writes to, or that cannot tell: held polls then end with their time.
   *
   * @returns ends it
   */
  subscribe?(listener: (signal: CloudSignal) => void): () => void

  /**
   * Tells other processes on the same storage what no verb changes. Never fails; they are told `missed` if something was
   * lost. Left out by storages without {@link subscribe}.
   */
  publish?(signals: readonly CloudSignal[]): void

  /** Ends what is under way and releases the storage. Safe to call twice. */
  close(): Promise<void>
}
