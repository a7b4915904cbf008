import type { DeviceCondition } from './device-store.ts'
import type {
  SearchCounts,
  SearchGroupStatus,
  SearchScope,
  SearchSelection,
} from '@homeward/contract/device-cloud'
import type { NewAuditEntry } from './audit-store.ts'
import type { Page, PagePosition, PageRequest } from './page.ts'

/** Content of a group: searches, or upload requests. */
export type GroupKind = 'search' | 'upload'

/** A group to add: what one request asked of several devices (C32). */
export interface NewGroup {
  readonly id: string
  readonly kind: GroupKind
  /** The search text; of upload requests the path. */
  readonly query: string
  /** Empty for upload requests. */
  readonly scope: readonly SearchScope[]
  /** What is wanted of all that matches; absent: nothing in particular. */
  readonly selection?: SearchSelection
  /** Who asked, where the session names an actor besides its user. */
  readonly actor?: string | undefined
  readonly createdAt: string
  /** When its searches or upload requests expire. */
  readonly expiresAt: string
  /** Which devices were meant; null where they were named by their ids. */
  readonly filter: DeviceCondition | null
  readonly savedSearchId: string | null
  /** Devices whose rows are still to be made; null: there are none. */
  readonly rest: RemainingDevices | null
}

/** Devices of a group whose rows are still to be made: those of its filter behind a place of the list of devices. */
export interface RemainingDevices {
  /** About how many there are. */
  readonly unmade: number
  /** Null: from the newest on. */
  readonly after: PagePosition | null
}

/** Which groups to list. */
export interface GroupFilter {
  readonly savedSearchId?: string
  /** Literal parts of the search text, compared as `foldText` of both sides says; all must be there. */
  readonly words?: readonly string[]
  /** Groups created at this time and later. */
  readonly from?: string
  /** Groups created before this time. */
  readonly to?: string
  /** `pending` while any of its searches is, also if its row is still to be made. */
  readonly status?: SearchGroupStatus
}

/** A group with something to do, for the process that has its lease. */
export interface ClaimedGroup {
  readonly id: string
  readonly owner: string
  readonly kind: GroupKind
  /** What is to be done: rows to be made, or searches of a removed group to be ended. */
  readonly task: 'make' | 'remove'
  readonly filter: DeviceCondition
  readonly rest: RemainingDevices
}

/** A lease on the work of a group. */
export interface GroupLease {
  readonly leaseId: string
  readonly now: string
  /** At most 60 s after `now`: one that ends later was written by a clock that was put back, and does not count. */
  readonly leaseUntil: string
}

/** Rows of a group to add, for those of the devices that are still there. */
export interface GroupExtension extends GroupLease {
  readonly id: string
  readonly work: readonly { readonly id: string; readonly deviceId: string; readonly refused?: string }[]
  /** What is left afterwards. */
  readonly rest: RemainingDevices | null
}

/** A group of searches as it stands at some time. `counts` add up to `total`, rows that are not made yet included. */
export interface StoredGroup extends Pick<
  NewGroup,
  'id' | 'query' | 'scope' | 'selection' | 'createdAt' | 'filter' | 'savedSearchId'
> {
  readonly total: number
  readonly counts: SearchCounts
  /** Files among the results of its searches, also of results that were removed because they were old. */
  readonly filesFound: number
}

/** What became of a search that was to be ended. */
export type EndOutcome =
  | {
      readonly kind: 'canceled' | 'erased'
      readonly deviceId: string
      readonly groupId: string | null
      /** Files of erased results. */
      readonly blobIds: readonly string[]
    }
  | { readonly kind: 'unknown' }

/** Searches that were ended together. */
export interface EndedBatch {
  /** Those that were pending, and are failed now. */
  readonly canceled: readonly { readonly id: string; readonly deviceId: string }[]
  /** Files of erased results. */
  readonly blobIds: readonly string[]
  /** Whether nothing of the group is left. */
  readonly isDone: boolean
}

/** What {@link GroupStore.settleGroups} found. */
export interface SettledGroups {
  readonly settled: readonly { readonly id: string; readonly owner: string }[]
  /** When to look again for groups that have expired; null if nothing is expected. */
  readonly nextAt: string | null
}

/** Groups of searches. See {@link DeviceStore} for what every method promises. */
export interface GroupStore {
  /** The group, if it belongs to `owner` and is one of searches. */
  findGroup(owner: string, id: string, now: string, signal?: AbortSignal): Promise<StoredGroup | undefined>

  /** Groups of searches of one owner as they stand at `now`, newest first. */
  listGroups(
    owner: string,
    filter: GroupFilter,
    page: PageRequest,
    now: string,
    signal?: AbortSignal,
  ): Promise<Page<StoredGroup>>

  /**
   * Leases the oldest group with something to do that nobody else works on.
   *
   * @returns undefined when there is nothing to do; `retryAt` when others work on all there is.
   */
  claimGroup(
    lease: GroupLease,
    signal?: AbortSignal,
  ): Promise<{ readonly group: ClaimedGroup } | { readonly retryAt: string } | undefined>

  /**
   * Adds rows of a group and renews its lease, or ends it with the last of them.
   *
   * @returns the rows that were added, or undefined when the lease is lost or the group was removed: then none was.
   */
  extendGroup(
    extension: GroupExtension,
    signal?: AbortSignal,
  ): Promise<readonly { readonly id: string; readonly deviceId: string }[] | undefined>

  /**
   * Ends a search: one that is pending becomes `failed` with `canceledSearchError`, any other is erased, and the file of
   * its results is noted for removal. Of `audit` the entry of what was done is added, with the device of the search.
   */
  endSearch(
    owner: string,
    id: string,
    now: string,
    audit?: { readonly canceled: NewAuditEntry; readonly erased: NewAuditEntry },
    signal?: AbortSignal,
  ): Promise<EndOutcome>

  /**
   * Ends some searches of an owner, as {@link endSearch} does; canceled ones leave their group. Those that are gone are
   * passed over.
   */
  endSearches(
    owner: string,
    ids: readonly string[],
    now: string,
    signal?: AbortSignal,
  ): Promise<Omit<EndedBatch, 'isDone'>>

  /**
   * Takes a group of searches out of all lists of groups, once; its searches are ended by {@link endGroupSearches}. Where
   * that was cut off, the group is among those that {@link claimGroup} gives.
   *
   * @returns false when there is none.
   */
  removeGroup(
    owner: string,
    id: string,
    audit?: readonly NewAuditEntry[],
    signal?: AbortSignal,
  ): Promise<boolean>

  /**
   * Ends up to `limit` searches of a removed group, as {@link endSearch} does; canceled ones leave the group. The group
   * itself goes with the last of them. Of any other group nothing is ended.
   */
  endGroupSearches(id: string, limit: number, now: string, signal?: AbortSignal): Promise<EndedBatch>

  /**
   * Finds groups of searches that have settled: all of their searches were made, and none is pending any more. Looks at
   * `ids`, and at up to 100 groups that have expired. Each group is given once, to one caller.
   */
  settleGroups(ids: readonly string[], now: string, signal?: AbortSignal): Promise<SettledGroups>
}
