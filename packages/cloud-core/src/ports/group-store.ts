import type { DeviceCondition } from './device-store.ts'
import type {
  SearchCounts,
  SearchGroupStatus,
  SearchScope,
  SearchSelection,
} from '@homeward/contract/device-cloud'
import type { NewAuditEntry } from './audit-store.ts'
import type { Page, PagePosition, PageRequest } from './page.ts'

/** Kind of a group: searches or upload requests. */
export type GroupKind = 'search' | 'upload'

/** A new group: one request for several devices. */
export interface NewGroup {
  readonly id: string
  readonly kind: GroupKind
  /** Search text; for upload requests, the path. */
  readonly query: string
  /** Empty for upload requests. */
  readonly scope: readonly SearchScope[]
  /** Conditions, order and limit of the search. Absent: defaults. */
  readonly selection?: SearchSelection
  /** Person or token that sent the request, if the session names an actor in addition to its user. */
  readonly actor?: string | undefined
  readonly createdAt: string
  /** Expiry of its searches or upload requests. */
  readonly expiresAt: string
  /** Filter that selected the devices; null if the request listed their ids. */
  readonly filter: DeviceCondition | null
  readonly savedSearchId: string | null
  /** Devices whose rows are not created yet; null if there are none. */
  readonly rest: RemainingDevices | null
}

/**
 * Devices of a group whose rows are not created yet: those that match its filter, from a position in the list of
 * devices.
 */
export interface RemainingDevices {
  /** Approximate number of devices. */
  readonly unmade: number
  /** Position to continue after; null for the newest device. */
  readonly after: PagePosition | null
}

/** Filter for groups. */
export interface GroupFilter {
  readonly savedSearchId?: string
  /** Literal parts of the search text, all required, compared with `foldText` on both sides. */
  readonly words?: readonly string[]
  /** Groups created at or after this time. */
  readonly from?: string
  /** Groups created before this time. */
  readonly to?: string
  /** `pending` while any of its searches is pending or not created yet. */
  readonly status?: SearchGroupStatus
}

/** A group with pending work, for the process that holds its lease. */
export interface ClaimedGroup {
  readonly id: string
  readonly owner: string
  readonly kind: GroupKind
  /** The pending work: rows to create, or searches of a removed group to end. */
  readonly task: 'make' | 'remove'
  readonly filter: DeviceCondition
  readonly rest: RemainingDevices
}

/** A lease for the work of a group. */
export interface GroupLease {
  readonly leaseId: string
  readonly now: string
  /** End of the lease, at most 60 s after `now`. A later time comes from a clock that was set back, and is ignored. */
  readonly leaseUntil: string
}

/** Rows to add to a group, for those of its devices that still exist. */
export interface GroupExtension extends GroupLease {
  readonly id: string
  readonly work: readonly { readonly id: string; readonly deviceId: string; readonly refused?: string }[]
  /** Remaining devices after these rows. */
  readonly rest: RemainingDevices | null
}

/**
 * A search group with its counts at a given time. The `counts` add up to `total`, including rows that are not created
 * yet.
 */
export interface StoredGroup extends Pick<
  NewGroup,
  'id' | 'query' | 'scope' | 'selection' | 'createdAt' | 'filter' | 'savedSearchId'
> {
  readonly total: number
  readonly counts: SearchCounts
  /** Number of files in the results of its searches, including results that were deleted because of their age. */
  readonly filesFound: number
}

/** Result of ending one search. */
export type EndOutcome =
  | {
      readonly kind: 'canceled' | 'erased'
      readonly deviceId: string
      readonly groupId: string | null
      /** Ids of files with erased results. */
      readonly blobIds: readonly string[]
    }
  | { readonly kind: 'unknown' }

/** Result of ending several searches. */
export interface EndedBatch {
  /** Searches that were pending and are now canceled. */
  readonly canceled: readonly { readonly id: string; readonly deviceId: string }[]
  /** Ids of files with erased results. */
  readonly blobIds: readonly string[]
  /** Whether all searches of the group have been ended. */
  readonly isDone: boolean
}

/** Result of {@link GroupStore.settleGroups}. */
export interface SettledGroups {
  readonly settled: readonly { readonly id: string; readonly owner: string }[]
  /** Time of the next check for expired groups; null if none is expected. */
  readonly nextAt: string | null
}

/** Store of search groups. {@link DeviceStore} states the rules for every method. */
export interface GroupStore {
  /** Finds a search group of an owner. */
  findGroup(owner: string, id: string, now: string, signal?: AbortSignal): Promise<StoredGroup | undefined>

  /** Lists the search groups of one owner with their status at `now`, newest first. */
  listGroups(
    owner: string,
    filter: GroupFilter,
    page: PageRequest,
    now: string,
    signal?: AbortSignal,
  ): Promise<Page<StoredGroup>>

  /**
   * Leases the oldest group with pending work that no other process holds.
   *
   * @returns undefined if there is no work; `retryAt` if other processes hold all groups with work.
   */
  claimGroup(
    lease: GroupLease,
    signal?: AbortSignal,
  ): Promise<{ readonly group: ClaimedGroup } | { readonly retryAt: string } | undefined>

  /**
   * Adds rows to a group and renews its lease. After the last rows, ends the lease.
   *
   * @returns the added rows, or undefined if the lease was lost or the group was removed. No rows were added then.
   */
  extendGroup(
    extension: GroupExtension,
    signal?: AbortSignal,
  ): Promise<readonly { readonly id: string; readonly deviceId: string }[] | undefined>

  /**
   * Ends a search. A pending search becomes `failed` with `canceledSearchError`. Any other search is erased, and its
   * results file is marked for removal. The audit entry that matches the outcome is stored, with the device of the
   * search.
   */
  endSearch(
    owner: string,
    id: string,
    now: string,
    audit?: { readonly canceled: NewAuditEntry; readonly erased: NewAuditEntry },
    signal?: AbortSignal,
  ): Promise<EndOutcome>

  /**
   * Ends several searches of an owner, as {@link endSearch} does. Canceled searches leave their group. Missing
   * searches are skipped.
   */
  endSearches(
    owner: string,
    ids: readonly string[],
    now: string,
    signal?: AbortSignal,
  ): Promise<Omit<EndedBatch, 'isDone'>>

  /**
   * Removes a search group from all lists, once.
   *
   * {@link endGroupSearches} then ends its searches. If that is interrupted, {@link claimGroup} returns the group
   * again.
   *
   * @returns false if the group does not exist.
   */
  removeGroup(
    owner: string,
    id: string,
    audit?: readonly NewAuditEntry[],
    signal?: AbortSignal,
  ): Promise<boolean>

  /**
   * Ends up to `limit` searches of a removed group, as {@link endSearch} does. Canceled searches leave the group, and
   * the group is deleted with its last search. Searches of other groups are not ended.
   */
  endGroupSearches(id: string, limit: number, now: string, signal?: AbortSignal): Promise<EndedBatch>

  /**
   * Finds search groups that have settled: all searches were created, and none is pending.
   *
   * Checks the groups in `ids`, and up to 100 expired groups. Each group is returned once, to one caller.
   */
  settleGroups(ids: readonly string[], now: string, signal?: AbortSignal): Promise<SettledGroups>
}
