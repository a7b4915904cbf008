import type { UploadRequest, UploadStatus } from '@homeward/contract/device-cloud'
import type { BlobLinks } from './blob-store.ts'
import type { NewAuditEntry } from './audit-store.ts'
import type { NewGroup } from './group-store.ts'
import type { CreateOutcome, IdempotencyRecord } from './idempotency-record.ts'
import type { Page, PageRequest } from './page.ts'

/** A new upload request with the status `pending`. */
export interface NewUpload {
  readonly id: string
  readonly deviceId: string
  /** Id of its group; null if it has no group. */
  readonly groupId: string | null
  readonly filePath: string
  readonly destination: 'cloud'
  /** Person or token that sent the request, if the session names an actor in addition to its user. */
  readonly actor?: string | undefined
  readonly createdAt: string
  /** Time of expiry. From this time on, a request that is neither settled nor leased is `failed` with `expiredUploadError`. */
  readonly expiresAt: string
  /** Reason if the request is `failed` from the start. @default the request is `pending` */
  readonly refused?: string | undefined
}

/** The file of a completed upload request. */
export interface StoredFile {
  readonly blobId: string
  /** File name without folders. */
  readonly fileName: string
  /** Size in bytes. */
  readonly size: number
  readonly links: BlobLinks
}

/** A file with the device that it came from. */
export interface FoundFile extends StoredFile {
  readonly deviceId: string
}

/** Outcome of an upload request. */
export type UploadOutcome =
  | { readonly status: 'completed'; readonly file: StoredFile }
  | { readonly status: 'failed'; readonly error: string }

/** A stored upload request. `status` includes expiry and leases at the time of reading. */
export interface StoredUpload extends NewUpload {
  readonly deviceName: string
  readonly status: UploadStatus
  readonly file: StoredFile | null
  readonly error: string | null
  /** Time of settlement or cancellation, or `expiresAt` if expired. */
  readonly completedAt: string | null
}

/** Filter for upload requests. All conditions must be met. */
export interface UploadFilter {
  readonly requestId?: string
  readonly deviceId?: string
  readonly groupId?: string
  readonly status?: UploadStatus
}

/** The outcome of an upload request that has already ended. */
export type UploadConflict =
  | { readonly kind: 'already'; readonly status: 'completed'; readonly file: StoredFile }
  | { readonly kind: 'already'; readonly status: 'failed' | 'canceled'; readonly error: string }

/** Request for a lease on an upload, or for its renewal. */
export interface UploadLease {
  readonly id: string
  readonly deviceId: string
  /** Id of the file that the attempt writes. */
  readonly blobId: string
  readonly leaseUntil: string
  readonly now: string
  /** Maximum number of leased requests of the device at `now`, including this one. @default no limit */
  readonly maxLeases?: number
  /** Whether an existing lease of another attempt wins. The outcome is then `held`. @default false */
  readonly yields?: boolean
}

/** Outcome of a lease request. `supersededBlobId` is the file that an earlier, unfinished attempt may have left. */
export type LeaseOutcome =
  | { readonly kind: 'leased'; readonly filePath: string; readonly supersededBlobId: string | null }
  | UploadConflict
  /** It {@link UploadLease.yields} to another attempt. Nothing changed. */
  | { readonly kind: 'held'; readonly filePath: string }
  /** As many others as `maxLeases` allows hold one. */
  | { readonly kind: 'busy' }
  | { readonly kind: 'unknown' }

/** Store of upload requests. {@link DeviceStore} states the rules for every method. */
export interface UploadStore {
  /**
   * Adds upload requests as `pending`, and their group: all of them, or none. Returns `unknown_device` as for
   * searches.
   */
  insertUploads(
    owner: string,
    uploads: readonly NewUpload[],
    once: IdempotencyRecord | undefined,
    audit?: readonly NewAuditEntry[],
    group?: NewGroup,
    signal?: AbortSignal,
  ): Promise<CreateOutcome | { readonly kind: 'unknown_device' }>

  /** Lists the upload requests of one device that are `pending` at `now`, oldest `createdAt` first, then by `id`. */
  listPendingUploads(
    deviceId: string,
    limit: number,
    now: string,
    signal?: AbortSignal,
  ): Promise<readonly UploadRequest[]>

  /**
   * Marks a request as `uploading` until `leaseUntil`, and records the file that the attempt writes.
   *
   * The same device may lease again at any time: a broken connection is retried at once, and a long upload renews its
   * lease with its own `blobId`. An attempt with `yields` never replaces another one. A `leaseUntil` of `now` ends
   * the lease. A lease that ends more than 20 minutes after `now` comes from a clock that was set back, and counts as
   * expired. `maxLeases` also applies to concurrent calls; a request that has a lease may always renew it.
   */
  leaseUpload(lease: UploadLease, signal?: AbortSignal): Promise<LeaseOutcome>

  /** Settles a request, once. A request that expired without a lease has already ended. */
  settleUpload(
    report: { id: string; deviceId: string; outcome: UploadOutcome; now: string },
    signal?: AbortSignal,
  ): Promise<{ readonly kind: 'settled' } | UploadConflict | { readonly kind: 'unknown' }>

  /**
   * Cancels a request that has not ended. A second call has no effect and returns `again`. The device of the request
   * is added to the entries of `audit`.
   */
  cancelUpload(
    owner: string,
    id: string,
    now: string,
    audit?: readonly NewAuditEntry[],
    signal?: AbortSignal,
  ): Promise<
    | { readonly kind: 'canceled'; readonly deviceId: string; readonly again?: true }
    | UploadConflict
    | { readonly kind: 'unknown' }
  >

  /** Lists the upload requests of one owner with their status at `now`, newest first. */
  listUploads(
    owner: string,
    filter: UploadFilter,
    page: PageRequest,
    now: string,
    signal?: AbortSignal,
  ): Promise<Page<StoredUpload>>

  /**
   * Returns those of the given file ids that no completed upload and no settled search of any owner uses, in the
   * given order.
   */
  filterUnusedBlobs(blobIds: readonly string[], signal?: AbortSignal): Promise<readonly string[]>

  /** Finds the completed upload with this file, if it belongs to `owner`. */
  findFile(owner: string, blobId: string, signal?: AbortSignal): Promise<FoundFile | undefined>
}
