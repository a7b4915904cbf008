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

/** A new search with the status `pending`. */
export interface NewSearch {
  readonly id: string
  readonly deviceId: string
  /** Id of its group; null if it has no group. */
  readonly groupId: string | null
  readonly query: string
  readonly scope: readonly SearchScope[]
  /** Conditions, order and limit of the search. Absent: defaults. */
  readonly selection?: SearchSelection
  /** Person or token that sent the request, if the session names an actor in addition to its user. */
  readonly actor?: string | undefined
  readonly createdAt: string
  /** Time of expiry. From this time on, an unsettled search is `failed` with `expiredSearchError`. */
  readonly expiresAt: string
  /** Reason if the search is `failed` from the start. @default the search is `pending` */
  readonly refused?: string | undefined
}

/** Outcome of a search. */
export interface SearchOutcome {
  readonly status: 'completed' | 'failed'
  /** Results; null if there are none or they are stored as a file. */
  readonly results: SearchResults | null
  /** Id of the file with the results, if they are too large for a row. */
  readonly resultsBlobId?: string
  /** Number of files in the results. @default 0 */
  readonly filesFound?: number
  /** Reason for the failure; null if `completed`. */
  readonly error: string | null
}

/** A stored search. `status` includes expiry at the time of reading. */
export interface StoredSearch extends NewSearch {
  readonly deviceName: string
  readonly status: SearchStatus
  /** Results; null if there are none or they are stored as a file. */
  readonly results: SearchResults | null
  /** Id of the file with the results; absent if they are in the row. */
  readonly resultsBlobId?: string
  /** Whether the results were deleted because of their age. */
  readonly resultsGone?: true
  /** Number of files in the results, including results that were deleted because of their age. */
  readonly filesFound: number
  readonly error: string | null
  /** Time of settlement, or `expiresAt` if expired. */
  readonly completedAt: string | null
  /** File id of the device's catalog, if the device has one and the search is `pending`. */
  readonly catalogBlobId?: string
}

/** Filter for searches. All conditions must be met. */
export interface SearchFilter {
  readonly queryId?: string
  readonly deviceId?: string
  readonly groupId?: string
  readonly status?: SearchStatus
}

/**
 * Outcome of a report. `already` has the stored outcome, including expiry. `selects`: nothing changed, because the
 * search has a selection that must be applied to the outcome first.
 */
export type SettleOutcome =
  | {
      readonly kind: 'settled'
      /** Group of the search, if any. */
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

/** Store of searches. {@link DeviceStore} states the rules for every method. */
export interface SearchStore {
  /**
   * Adds searches as `pending`, and their group: all of them, or none.
   *
   * @returns `unknown_device` if a device does not belong to the owner. Nothing was added then.
   */
  insertSearches(
    owner: string,
    searches: readonly NewSearch[],
    once: IdempotencyRecord | undefined,
    audit?: readonly NewAuditEntry[],
    group?: NewGroup,
    signal?: AbortSignal,
  ): Promise<CreateOutcome | { readonly kind: 'unknown_device' }>

  /**
   * Lists the pending searches of one device that have not expired at `now`, oldest `createdAt` first, then by `id`.
   */
  listPendingSearches(
    deviceId: string,
    limit: number,
    now: string,
    signal?: AbortSignal,
  ): Promise<readonly SearchRequest[]>

  /**
   * Settles a pending search, once.
   *
   * Returns `unknown` for an unknown id and for a search of another device. A search with a selection is settled only
   * if the outcome has `isSelected`.
   */
  settleSearch(
    report: { id: string; deviceId: string; outcome: SearchOutcome; isSelected?: boolean; now: string },
    signal?: AbortSignal,
  ): Promise<SettleOutcome>

  /** Lists the searches of one owner with their status at `now`, newest first. */
  listSearches(
    owner: string,
    filter: SearchFilter,
    page: PageRequest,
    now: string,
    signal?: AbortSignal,
  ): Promise<Page<StoredSearch>>

  /**
   * Records searches and upload requests that have expired at `now`, oldest first. Each is returned to one caller
   * only.
   *
   * @param limit maximum number of each kind.
   */
  expireWork(limit: number, now: string, signal?: AbortSignal): Promise<ExpiredWork>
}
