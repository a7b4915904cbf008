import type { DeviceCondition } from './device-store.ts'
import type { SearchScope, SearchSelection } from '@homeward/contract/device-cloud'
import type { NewAuditEntry } from './audit-store.ts'
import type { NewGroup } from './group-store.ts'
import type { CreateOutcome, IdempotencyRecord } from './idempotency-record.ts'
import type { Page, PageRequest } from './page.ts'

/** A search that can be run again (C32). */
export interface StoredSavedSearch {
  readonly id: string
  readonly owner: string
  readonly name: string
  readonly query: string
  readonly scope: readonly SearchScope[]
  /** What is wanted of all that matches; absent: nothing in particular. */
  readonly selection?: SearchSelection
  readonly filter: DeviceCondition
  /** Cron expression; null: it runs when it is told to. */
  readonly schedule: string | null
  /** IANA time zone; null: UTC. */
  readonly timezone: string | null
  readonly createdAt: string
  readonly updatedAt: string
  /** When its schedule runs it next; null: never. */
  readonly nextAt: string | null
}

/** A run that is due. */
export interface DueRun {
  readonly id: string
  /** `nextAt` of the saved search as the caller knows it. */
  readonly dueAt: string
  /** When it runs after this; null: never. */
  readonly nextAt: string | null
  readonly group: NewGroup
  readonly audit?: readonly NewAuditEntry[]
}

/** Saved searches. See {@link DeviceStore} for what every method promises. */
export interface SavedSearchStore {
  /** Adds a saved search, once. `full` when its owner has `limit` of them. */
  insertSavedSearch(
    saved: StoredSavedSearch,
    limit: number,
    once: IdempotencyRecord | undefined,
    audit?: readonly NewAuditEntry[],
    signal?: AbortSignal,
  ): Promise<CreateOutcome | { readonly kind: 'full' }>

  /** The saved search, when it belongs to `owner`. */
  findSavedSearch(owner: string, id: string, signal?: AbortSignal): Promise<StoredSavedSearch | undefined>

  /** Saved searches of one owner, newest first. */
  listSavedSearches(owner: string, page: PageRequest, signal?: AbortSignal): Promise<Page<StoredSavedSearch>>

  /** Replaces everything but id, owner and `createdAt`. @returns false when the owner has none with this id. */
  replaceSavedSearch(
    saved: StoredSavedSearch,
    audit?: readonly NewAuditEntry[],
    signal?: AbortSignal,
  ): Promise<boolean>

  /** Removes a saved search; groups of its runs stay. @returns false when the owner has none with this id. */
  deleteSavedSearch(
    owner: string,
    id: string,
    audit?: readonly NewAuditEntry[],
    signal?: AbortSignal,
  ): Promise<boolean>

  /** Saved searches of all owners that are due at `now`, those that wait longest first, and when the next one is due. */
  listDueSavedSearches(
    now: string,
    limit: number,
    signal?: AbortSignal,
  ): Promise<{ readonly due: readonly StoredSavedSearch[]; readonly nextAt: string | null }>

  /**
   * Moves a saved search on to its next time and adds the group of this one, once: false when another process was first,
   * or when the saved search was changed.
   */
  runDueSavedSearch(run: DueRun, signal?: AbortSignal): Promise<boolean>
}
