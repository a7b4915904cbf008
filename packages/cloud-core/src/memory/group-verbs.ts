import { foldText } from '../devices/search-text.ts'
import type { NewAuditEntry } from '../ports/audit-store.ts'
import type {
  ClaimedGroup,
  EndedBatch,
  EndOutcome,
  GroupExtension,
  GroupFilter,
  GroupLease,
  SettledGroups,
  StoredGroup,
} from '../ports/group-store.ts'
import type { Page, PageRequest } from '../ports/page.ts'
import { canceledSearchError } from '../searches/expiry.ts'
import {
  type GroupRow,
  latestGroupLease,
  toClaimedGroup,
  toRestColumns,
  toStoredGroup,
} from '../sql/group-row.ts'
import { toWork } from '../sql/group-work-plans.ts'
import { settledAtOnce } from '../sql/settled-group-plans.ts'
import { nothingEnded, toBlobIds, toEndedBatch } from '../sql/ended-batch.ts'
import { isSearchPending, type SearchRow, toSearchRow } from '../sql/search-row.ts'
import { appendAudit } from './audit-verbs.ts'
import { noteRemovals } from './retention-verbs.ts'
import { comparePositions, readPage, removeSorted } from './sorted-rows.ts'
import type { Tables } from './tables.ts'
import { addGroupCanceled, addGroupSettled, addSearchSettled } from './webhook-events.ts'
import { toUploadRow } from '../sql/upload-row.ts'
import { addWork, endWork, leaveGroup, removeRow } from './work-table.ts'

/** {@link GroupStore.findGroup}, in memory. */
export function findGroup(tables: Tables, owner: string, id: string, now: string): StoredGroup | undefined {
  const row = tables.groups.get(id)
  return row?.owner === owner && isShown(row) ? toGroup(tables, row, now) : undefined
}

/** {@link GroupStore.listGroups}, in memory. */
export function listGroups(
  tables: Tables,
  owner: string,
  { savedSearchId, words = [], from, to, status }: GroupFilter,
  page: PageRequest,
  now: string,
): Page<StoredGroup> {
  const parts = words.map(foldText)
  const statusOf = (row: GroupRow) => (toGroup(tables, row, now).counts.pending > 0 ? 'pending' : 'settled')
  const accepts = (row: GroupRow) => {
    const text = foldText(row.query)
    return (
      isShown(row) &&
      (savedSearchId ?? row.savedSearchId) === row.savedSearchId &&
      parts.every((part) => text.includes(part)) &&
      (from === undefined || row.createdAt >= from) &&
      (to === undefined || row.createdAt < to) &&
      (status === undefined || statusOf(row) === status)
    )
  }
  const found = readPage(tables.groupsByOwner.get(owner) ?? [], page, accepts)
  return { ...found, rows: found.rows.map((row) => toGroup(tables, row, now)) }
}

/** {@link GroupStore.claimGroup}, in memory. */
export function claimGroup(
  tables: Tables,
  { leaseId, now, leaseUntil }: GroupLease,
): { readonly group: ClaimedGroup } | { readonly retryAt: string } | undefined {
  const busy = [...tables.groups.values()].filter(({ task }) => task !== null).toSorted(comparePositions)
  const latest = latestGroupLease(now)
  const free = busy.find((row) => row.leaseUntil === null || row.leaseUntil <= now || row.leaseUntil > latest)
  if (free === undefined) return busy[0] && { retryAt: busy[0].leaseUntil ?? now }
  Object.assign(free, { leaseId, leaseUntil })
  return { group: toClaimedGroup(free) }
}

/** {@link GroupStore.extendGroup}, in memory. */
export function extendGroup(
  tables: Tables,
  { id, leaseId, leaseUntil, work, rest }: GroupExtension,
): GroupExtension['work'] | undefined {
  const group = tables.groups.get(id)
  if (group?.leaseId !== leaseId || group.task !== 'make') return undefined
  const made = work.filter(({ deviceId }) => tables.devices.get(deviceId)?.owner === group.owner)
  for (const row of made) {
    if (group.kind === 'search') addWork(tables.searches, toSearchRow(group.owner, toWork(group, row)))
    else addWork(tables.uploads, toUploadRow(group.owner, toWork(group, row)))
  }
  const lease = rest === null ? { leaseId: null, leaseUntil: null } : { leaseId, leaseUntil }
  Object.assign(group, toRestColumns(rest), lease)
  return made
}

/** {@link GroupStore.endSearch}, in memory. */
export function endSearch(
  tables: Tables,
  owner: string,
  id: string,
  now: string,
  audit?: { readonly canceled: NewAuditEntry; readonly erased: NewAuditEntry },
): EndOutcome {
  const row = tables.searches.byId.get(id)
  if (row === undefined || row.owner !== owner) return { kind: 'unknown' }
  const { deviceId, groupId } = row
  const kind = isSearchPending(row, now) ? 'canceled' : 'erased'
  appendAudit(tables, audit && [{ ...audit[kind], deviceId }])
  if (kind === 'canceled') cancel(tables, row, now)
  else erase(tables, row)
  return { kind, deviceId, groupId, blobIds: kind === 'erased' ? toBlobIds([row]) : [] }
}

/** {@link GroupStore.removeGroup}, in memory. */
export function removeGroup(
  tables: Tables,
  owner: string,
  id: string,
  audit?: readonly NewAuditEntry[],
): boolean {
  const row = tables.groups.get(id)
  if (row?.owner !== owner || !isShown(row)) return false
  appendAudit(tables, audit)
  addGroupCanceled(tables, row)
  Object.assign(row, { ...toRestColumns(null), task: 'remove', leaseId: null, leaseUntil: null })
  return true
}

/** {@link GroupStore.endGroupSearches}, in memory. */
export function endGroupSearches(tables: Tables, id: string, limit: number, now: string): EndedBatch {
  const group = tables.groups.get(id)
  if (group?.task !== 'remove') return nothingEnded
  const rows = (tables.searches.byGroup.get(id) ?? []).slice(0, limit)
  const isDone = rows.length < limit
  const ended = endRows(tables, rows, now, isDone)
  if (isDone) forgetGroup(tables, group)
  return ended
}

/** {@link GroupStore.endSearches}, in memory. */
export function endSearches(tables: Tables, owner: string, ids: readonly string[], now: string): EndedBatch {
  const rows = ids.map((id) => tables.searches.byId.get(id)).filter((row) => row?.owner === owner)
  return endRows(
    tables,
    rows.filter((row) => row !== undefined),
    now,
    true,
  )
}

function endRows(tables: Tables, rows: readonly SearchRow[], now: string, isDone: boolean): EndedBatch {
  const open = rows.filter((row) => isSearchPending(row, now))
  const over = rows.filter((row) => !isSearchPending(row, now))
  for (const row of over) erase(tables, row)
  for (const row of open) {
    leaveGroup(tables.searches, row)
    row.groupId = null
    cancel(tables, row, now)
  }
  return toEndedBatch(open, over, isDone)
}

/** {@link GroupStore.settleGroups}, in memory. */
export function settleGroups(tables: Tables, ids: readonly string[], now: string): SettledGroups {
  const open = [...tables.groups.values()].filter((row) => row.kind === 'search' && row.settledAt === null)
  const over = open.filter(({ expiresAt }) => expiresAt <= now)
  const named = ids.map((id) => tables.groups.get(id)).filter((row) => row !== undefined)
  const settled = [...new Set([...named, ...over.slice(0, settledAtOnce)])].filter((row) =>
    hasSettled(tables, row, now),
  )
  for (const row of settled) {
    row.settledAt = now
    addGroupSettled(tables, row, now)
  }
  if (over.length > settledAtOnce) return { settled: settled.map(toOwned), nextAt: now }
  const later = open.map(({ expiresAt }) => expiresAt).filter((at) => at > now)
  return { settled: settled.map(toOwned), nextAt: later.toSorted()[0] ?? null }
}

const toOwned = ({ id, owner }: GroupRow) => ({ id, owner })

function hasSettled(tables: Tables, row: GroupRow, now: string): boolean {
  if (row.kind !== 'search' || row.settledAt !== null) return false
  if (row.task !== null && row.expiresAt > now) return false
  return !(tables.searches.byGroup.get(row.id) ?? []).some((each) => isSearchPending(each, now))
}

function erase(tables: Tables, row: SearchRow): void {
  removeRow(tables.searches, row)
  if (row.resultsBlobId !== null) tables.resultsByBlob.delete(row.resultsBlobId)
  noteRemovals(tables, [row.resultsBlobId])
}

function cancel(tables: Tables, row: SearchRow, now: string): void {
  row.status = 'failed'
  row.error = canceledSearchError
  row.completedAt = now
  endWork(tables.searches, row)
  addSearchSettled(tables, row)
}

function forgetGroup(tables: Tables, row: GroupRow): void {
  tables.groups.delete(row.id)
  const owned = tables.groupsByOwner.get(row.owner) ?? []
  removeSorted(owned, row)
  if (owned.length === 0) tables.groupsByOwner.delete(row.owner)
}

function isShown(row: GroupRow): boolean {
  return row.kind === 'search' && row.task !== 'remove'
}

function toGroup(tables: Tables, group: GroupRow, now: string): StoredGroup {
  const searches = [...(tables.searches.byGroup.get(group.id) ?? [])]
  const count = (wanted: SearchRow['status']) => searches.filter(({ status }) => status === wanted).length
  const files = searches.reduce((sum, { filesFound }) => sum + filesFound, 0)
  const counts = { searches: searches.length, pending: count('pending'), failed: count('failed'), files }
  return toStoredGroup({ ...group, ...counts }, now)
}
