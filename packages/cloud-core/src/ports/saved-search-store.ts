import type { DeviceCondition } from './device-store.ts'
import type { SearchScope, SearchSelection } from '@homeward/contract/device-cloud'
import type { NewAuditEntry } from './audit-store.ts'
import type { NewGroup } from './group-store.ts'
import type { CreateOutcome, IdempotencyRecord } from './idempotency-record.ts'
import type { Page, PageRequest } from './page.ts'

/** A stored saved search. */
export interface StoredSavedSearch {
  readonly id: string
  readonly owner: string
  readonly name: string
  readonly query: string
  readonly scope: readonly SearchScope[]
  /** Conditions, order and limit of the search. Absent: defaults. */
  readonly selection?: SearchSelection
  readonly filter: DeviceCondition
  /** Cron expression; null if the search runs only on request. */
  readonly schedule: string | null
  /** IANA time zone; null: UTC. */
  readonly timezone: string | null
  readonly createdAt: string
  readonly updatedAt: string
  /** Time of the next scheduled run; null without one. */
  readonly nextAt: string | null
}

/** A saved search that is due. */
export interface DueRun {
  readonly id: string
  /** `nextAt` of the saved search when the caller read it. */
  readonly dueAt: string
  /** Time of the following run; null without one. */
  readonly nextAt: string | null
  readonly group: NewGroup
  readonly audit?: readonly NewAuditEntry[]
}

/** Store of saved searches. {@link DeviceStore} states the rules for every method. */
export interface SavedSearchStore {
  /** Adds a saved search once. `full` if its owner already has `limit` of them. */
  insertSavedSearch(
    saved: StoredSavedSearch,
    limit: number,
    once: IdempotencyRecord | undefined,
    audit?: readonly NewAuditEntry[],
    signal?: AbortSignal,
  ): Promise<CreateOutcome | { readonly kind: 'full' }>

  /** Finds a saved search of an owner. */
  findSavedSearch(owner: string, id: string, signal?: AbortSignal): Promise<StoredSavedSearch | undefined>

  /** Lists the saved searches of one owner, newest first. */
  listSavedSearches(owner: string, page: PageRequest, signal?: AbortSignal): Promise<Page<StoredSavedSearch>>

  /**
   * Replaces all fields except id, owner and `createdAt`.
   *
   * @returns false if the owner has no saved search with this id.
   */
  replaceSavedSearch(
    saved: StoredSavedSearch,
    audit?: readonly NewAuditEntry[],
    signal?: AbortSignal,
  ): Promise<boolean>

  /** Deletes a saved search. Groups of its runs stay. @returns false if the owner has no saved search with this id. */
  deleteSavedSearch(
    owner: string,
    id: string,
    audit?: readonly NewAuditEntry[],
    signal?: AbortSignal,
  ): Promise<boolean>

  /**
   * Lists the saved searches of all owners that are due at `now`, longest waiting first, and the time of the next
   * one.
   */
  listDueSavedSearches(
    now: string,
    limit: number,
    signal?: AbortSignal,
  ): Promise<{ readonly due: readonly StoredSavedSearch[]; readonly nextAt: string | null }>

  /**
   * Sets the next time of a saved search and adds the group of this run, once. Returns false if another process was
   * first, or the saved search changed.
   */
  runDueSavedSearch(run: DueRun, signal?: AbortSignal): Promise<boolean>
}
