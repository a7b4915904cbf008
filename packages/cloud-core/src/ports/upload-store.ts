import type { UploadRequest, UploadStatus } from '@homeward/contract/device-cloud'
import type { BlobLinks } from './blob-store.ts'
import type { NewAuditEntry } from './audit-store.ts'
import type { NewGroup } from './group-store.ts'
import type { CreateOutcome, IdempotencyRecord } from './idempotency-record.ts'
import type { Page, PageRequest } from './page.ts'

/** An upload request to add, `pending`. */
export interface NewUpload {
  readonly id: string
  readonly deviceId: string
  /** Group that it belongs to (C32); null for none. */
  readonly groupId: string | null
  readonly filePath: string
  readonly destination: 'cloud'
  /** Who asked, where the session names an actor besides its user. */
  readonly actor?: string | undefined
  readonly createdAt: string
  /** From then on it is `failed` with `expiredUploadError`, unless it was settled or holds a lease (C4). */
  readonly expiresAt: string
  /** Why it is `failed` from the beginning. @default it is `pending` */
  readonly refused?: string | undefined
}

/** The file that settled an upload request. */
export interface StoredFile {
  readonly blobId: string
  /** A plain file name. */
  readonly fileName: string
  /** Bytes. */
  readonly size: number
  readonly links: BlobLinks
}

/** A file with the device that it came from. */
export interface FoundFile extends StoredFile {
  readonly deviceId: string
}

/** How an upload request ended. */
export type UploadOutcome =
  | { readonly status: 'completed'; readonly file: StoredFile }
  | { readonly status: 'failed'; readonly error: string }

/** An upload request as read at some time; `status` already accounts for expiry and leases at that time. */
export interface StoredUpload extends NewUpload {
  readonly deviceName: string
  readonly status: UploadStatus
  readonly file: StoredFile | null
  readonly error: string | null
  /** When it was settled or canceled, or `expiresAt` when it expired. */
  readonly completedAt: string | null
}

/** Which upload requests to list. All conditions must hold. */
export interface UploadFilter {
  readonly requestId?: string
  readonly deviceId?: string
  readonly groupId?: string
  readonly status?: UploadStatus
}

/** An upload request that is over: how it ended. */
export type UploadConflict =
  | { readonly kind: 'already'; readonly status: 'completed'; readonly file: StoredFile }
  | { readonly kind: 'already'; readonly status: 'failed' | 'canceled'; readonly error: string }

/** Requests a lease on an upload, or its renewal. */
export interface UploadLease {
  readonly id: string
  readonly deviceId: string
  /** What the attempt writes. */
  readonly blobId: string
  readonly leaseUntil: string
  readonly now: string
  /** Requests of the device that may hold a lease at `now`, this one included. @default no limit */
  readonly maxLeases?: number
  /** Whether a lease that another attempt holds at `now` stays as it is: the answer is then `held`. @default false */
  readonly yields?: boolean
}

/** What became of a lease. `supersededBlobId` is what an earlier attempt that never settled may have left behind. */
export type LeaseOutcome =
  | { readonly kind: 'leased'; readonly filePath: string; readonly supersededBlobId: string | null }
  | UploadConflict
  /** It {@link UploadLease.yields} to another attempt. Nothing changed. */
  | { readonly kind: 'held'; readonly filePath: string }
  /** As many others as `maxLeases` allows hold one. */
  | { readonly kind: 'busy' }
  | { readonly kind: 'unknown' }

/** Where upload requests wait for their device. See {@link DeviceStore} for what every method promises. */
export interface UploadStore {
  /** Adds upload requests as `pending`, and their group: all of them, or none. `unknown_device` as for searches. */
  insertUploads(
    owner: string,
    uploads: readonly NewUpload[],
    once: IdempotencyRecord | undefined,
    audit?: readonly NewAuditEntry[],
    group?: NewGroup,
    signal?: AbortSignal,
  ): Promise<CreateOutcome | { readonly kind: 'unknown_device' }>

  /** Upload requests of one device that are `pending` at `now`, oldest `createdAt` first, then by `id`. */
  listPendingUploads(
    deviceId: string,
    limit: number,
    now: string,
    signal?: AbortSignal,
  ): Promise<readonly UploadRequest[]>

  /**
   * Marks a request as `uploading` until `leaseUntil`, and notes which blob the attempt writes. The same device may
   * lease again at any time: a broken connection is retried at once, and a long upload renews with its own `blobId`.
   * An attempt that `yields` takes nothing from another one, whatever races it; a `leaseUntil` of `now` ends a lease.
   * One that ends more than 20 minutes after `now` was written by a clock that was put back since: for every verb it is
   * over.
   * `maxLeases` holds however many leases race; a request that has a lease may always renew it.
   */
  leaseUpload(lease: UploadLease, signal?: AbortSignal): Promise<LeaseOutcome>

  /** Ends a request, once. A request that expired without a lease counts as over. */
  settleUpload(
    report: { id: string; deviceId: string; outcome: UploadOutcome; now: string },
    signal?: AbortSignal,
  ): Promise<{ readonly kind: 'settled' } | UploadConflict | { readonly kind: 'unknown' }>

  /**
   * Cancels a request that is not over. Canceling twice is the same as once; the later call says `again`. Entries of
   * `audit` get the device of the request.
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

  /** Upload requests of one owner as they stand at `now`, newest first. */
  listUploads(
    owner: string,
    filter: UploadFilter,
    page: PageRequest,
    now: string,
    signal?: AbortSignal,
  ): Promise<Page<StoredUpload>>

  /** Those of the blobs that no completed upload and no settled search holds, of any owner, in the order given. */
  filterUnusedBlobs(blobIds: readonly string[], signal?: AbortSignal): Promise<readonly string[]>

  /** The completed upload whose blob this is, when it belongs to `owner`. */
  findFile(owner: string, blobId: string, signal?: AbortSignal): Promise<FoundFile | undefined>
}
