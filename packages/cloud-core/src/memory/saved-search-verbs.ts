import type { NewAuditEntry } from '../ports/audit-store.ts'
import { CloudStoreError } from '../ports/cloud-store-error.ts'
import type { CreateOutcome, IdempotencyRecord } from '../ports/idempotency-record.ts'
import type { Page, PageRequest } from '../ports/page.ts'
import type { DueRun, StoredSavedSearch } from '../ports/saved-search-store.ts'
import { type SavedSearchRow, toSavedSearchRow, toStoredSavedSearch } from '../sql/saved-search-row.ts'
import { appendAudit } from './audit-verbs.ts'
import { addGroup } from './group-rows.ts'
import { addOnce, findRepeat } from './once-rows.ts'
import { comparePositions, readPage } from './sorted-rows.ts'
import type { Tables } from './tables.ts'

/** {@link SavedSearchStore.insertSavedSearch}, in memory. */
export function insertSavedSearch(
  tables: Tables,
  saved: StoredSavedSearch,
  limit: number,
  once: IdempotencyRecord | undefined,
  audit?: readonly NewAuditEntry[],
): CreateOutcome | { readonly kind: 'full' } {
  const repeat = findRepeat(tables.once, once)
  if (repeat !== undefined) return repeat
  if (ownRows(tables, saved.owner).length >= limit) return { kind: 'full' }
  if (tables.savedSearches.has(saved.id))
    throw new CloudStoreError(
      'CONFLICT',
      'Adding a saved search failed: its id is already in use. Create a new one.',
    )
  appendAudit(tables, audit)
  addOnce(tables.once, once)
  tables.savedSearches.set(saved.id, toSavedSearchRow(saved))
  return { kind: 'created' }
}

/** {@link SavedSearchStore.findSavedSearch}, in memory. */
export function findSavedSearch(tables: Tables, owner: string, id: string): StoredSavedSearch | undefined {
  const row = tables.savedSearches.get(id)
  return row?.owner === owner ? toStoredSavedSearch(row) : undefined
}

/** {@link SavedSearchStore.listSavedSearches}, in memory. */
export function listSavedSearches(tables: Tables, owner: string, page: PageRequest): Page<StoredSavedSearch> {
  const found = readPage(ownRows(tables, owner).toSorted(comparePositions), page)
  return { ...found, rows: found.rows.map(toStoredSavedSearch) }
}

/** {@link SavedSearchStore.replaceSavedSearch}, in memory. */
export function replaceSavedSearch(
  tables: Tables,
  saved: StoredSavedSearch,
  audit?: readonly NewAuditEntry[],
): boolean {
  const row = tables.savedSearches.get(saved.id)
  if (row?.owner !== saved.owner) return false
  appendAudit(tables, audit)
  tables.savedSearches.set(saved.id, { ...toSavedSearchRow(saved), createdAt: row.createdAt })
  return true
}

/** {@link SavedSearchStore.deleteSavedSearch}, in memory. */
export function deleteSavedSearch(
  tables: Tables,
  owner: string,
  id: string,
  audit?: readonly NewAuditEntry[],
): boolean {
  if (tables.savedSearches.get(id)?.owner !== owner) return false
  appendAudit(tables, audit)
  return tables.savedSearches.delete(id)
}

/** {@link SavedSearchStore.listDueSavedSearches}, in memory. */
export function listDueSavedSearches(
  tables: Tables,
  now: string,
  limit: number,
): { readonly due: readonly StoredSavedSearch[]; readonly nextAt: string | null } {
  const scheduled = [...tables.savedSearches.values()]
    .flatMap((row) => (row.nextAt === null ? [] : [{ row, place: { createdAt: row.nextAt, id: row.id } }]))
    .toSorted((a, b) => comparePositions(a.place, b.place))
  const due = scheduled.filter(({ place }) => place.createdAt <= now).slice(0, limit)
  const next = scheduled.find(({ place }) => place.createdAt > now)
  return { due: due.map(({ row }) => toStoredSavedSearch(row)), nextAt: next?.row.nextAt ?? null }
}

/** {@link SavedSearchStore.runDueSavedSearch}, in memory. */
export function runDueSavedSearch(tables: Tables, { id, dueAt, nextAt, group, audit }: DueRun): boolean {
  const row = tables.savedSearches.get(id)
  if (row?.nextAt !== dueAt) return false
  addGroup(tables, row.owner, group, () => appendAudit(tables, audit))
  tables.savedSearches.set(id, { ...row, nextAt })
  return true
}

function ownRows(tables: Tables, owner: string): readonly SavedSearchRow[] {
  return [...tables.savedSearches.values()].filter((row) => row.owner === owner)
}
