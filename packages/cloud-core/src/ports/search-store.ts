import type {
  SearchRequest,
  SearchResults,
  SearchScope,
  SearchSelection,
  SearchStatus,
} from '@homeward/contract/device-cloud'
import type { NewAuditEntry } from './audit-store.ts'
import type { NewGroup } from './group-store.ts'
import type { CreateOutcome, IdempotencyRecord } from './idempotency-record.ts'
import type { Page, PageRequest } from './page.ts'

/** A search to add, `pending`. */
export interface NewSearch {
  readonly id: string
  readonly deviceId: string
  /** Group that it belongs to (C32); null for none. */
  readonly groupId: string | null
  readonly query: string
  readonly scope: readonly SearchScope[]
  /** What is wanted of all that matches; absent: nothing in particular. */
  readonly selection?: SearchSelection
  /** Who asked, where the session names an actor besides its user. */
  readonly actor?: string | undefined
  readonly createdAt: string
  /** From then on it is `failed` with `expiredSearchError`, unless it was settled before (C10). */
  readonly expiresAt: string
  /** Why it is `failed` from the beginning. @default it is `pending` */
  readonly refused?: string | undefined
}

/** How a search ended. */
export interface SearchOutcome {
  readonly status: 'completed' | 'failed'
  /** Null if there are none, and if they are stored as a file. */
  readonly results: SearchResults | null
  /** Id of the file that holds the results, for results that are too large for a row. */
  readonly resultsBlobId?: string
  /** Files among the results. @default 0 */
  readonly filesFound?: number
  /** Null when `completed`. */
  readonly error: string | null
}

/** A search as read at some time; `status` already accounts for expiry at that time. */
export interface StoredSearch extends NewSearch {
  readonly deviceName: string
  readonly status: SearchStatus
  /** Null if there are none, and if they are stored as a file. */
  readonly results: SearchResults | null
  /** Id of the file that holds the results; absent if they are stored in the row. */
  readonly resultsBlobId?: string
  /** Its results were removed because they were old (C31). */
  readonly resultsGone?: true
  /** Files among its results, also of results that were removed because they were old. */
  readonly filesFound: number
  readonly error: string | null
  /** When it was settled, or `expiresAt` when it expired. */
  readonly completedAt: string | null
  /** File of the catalog of its device, if it has one and the search is `pending`. */
  readonly catalogBlobId?: string
}

/** Which searches to list. All conditions must hold. */
export interface SearchFilter {
  readonly queryId?: string
  readonly deviceId?: string
  readonly groupId?: string
  readonly status?: SearchStatus
}

/**
 * What became of a report (C9). `already` carries the stored outcome, expiry included. `selects` has changed nothing: the
 * search has a selection, which the outcome must be cut to first.
 */
export type SettleOutcome =
  | {
      readonly kind: 'settled'
      /** The group of the search, if it has one. */
      readonly groupId?: string
    }
  | { readonly kind: 'selects'; readonly query: string; readonly selection: SearchSelection }
  | { readonly kind: 'already'; readonly status: 'completed' | 'failed'; readonly error: string | null }
  | { readonly kind: 'unknown' }

/** Work that nobody did in time. */
export interface ExpiredWork {
  readonly searches: readonly {
    readonly id: string
    readonly deviceId: string
    readonly groupId: string | null
    readonly owner: string
  }[]
  readonly uploads: readonly { readonly id: string; readonly deviceId: string; readonly owner: string }[]
  /** When the next work expires; null if none waits. */
  readonly nextAt: string | null
}

/** Where searches wait for their device. See {@link DeviceStore} for what every method promises. */
export interface SearchStore {
  /**
   * Adds searches as `pending`, and the group that they belong to: all of them, or none.
   *
   * @returns `unknown_device` when one of the devices is not the owner's; then nothing was added.
   */
  insertSearches(
    owner: string,
    searches: readonly NewSearch[],
    once: IdempotencyRecord | undefined,
    audit?: readonly NewAuditEntry[],
    group?: NewGroup,
    signal?: AbortSignal,
  ): Promise<CreateOutcome | { readonly kind: 'unknown_device' }>

  /** Pending searches of one device that have not expired at `now`, oldest `createdAt` first, then by `id`. */
  listPendingSearches(
    deviceId: string,
    limit: number,
    now: string,
    signal?: AbortSignal,
  ): Promise<readonly SearchRequest[]>

  /**
   * Takes a search out of `pending`, once. An unknown id and another device's id are both `unknown`. A search with a
   * selection is settled only if the outcome `isSelected`.
   */
  settleSearch(
    report: { id: string; deviceId: string; outcome: SearchOutcome; isSelected?: boolean; now: string },
    signal?: AbortSignal,
  ): Promise<SettleOutcome>

  /** Searches of one owner as they stand at `now`, newest first. */
  listSearches(
    owner: string,
    filter: SearchFilter,
    page: PageRequest,
    now: string,
    signal?: AbortSignal,
  ): Promise<Page<StoredSearch>>

  /**
   * Writes down searches and upload requests that have expired at `now`, the oldest first. Each is given to one caller only.
   *
   * @param limit Of each kind.
   */
  expireWork(limit: number, now: string, signal?: AbortSignal): Promise<ExpiredWork>
}
