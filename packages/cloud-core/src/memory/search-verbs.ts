import type { SearchRequest } from '@homeward/contract/device-cloud'
import type { NewAuditEntry } from '../ports/audit-store.ts'
import type { NewGroup } from '../ports/group-store.ts'
import type { CreateOutcome, IdempotencyRecord } from '../ports/idempotency-record.ts'
import type { Page, PageRequest } from '../ports/page.ts'
import type {
  ExpiredWork,
  NewSearch,
  SearchFilter,
  SearchOutcome,
  SettleOutcome,
  StoredSearch,
} from '../ports/search-store.ts'
import type { SearchRow } from '../sql/search-row.ts'
import {
  isSearchPending,
  resultsStateOf,
  toResultsText,
  toSearchAlready,
  toSettled,
  toSearchRequest,
  toSearchRow,
  toSelects,
  toStoredSearch,
} from '../sql/search-row.ts'
import { uploadStatus } from '../sql/upload-row.ts'
import { expiredSearchError, nextExpiry } from '../searches/expiry.ts'
import { expiredUploadError } from '../uploads/expiry.ts'
import { readPage } from './sorted-rows.ts'
import type { Tables, WorkTable } from './tables.ts'
import { addSearchSettled, addUploadSettled } from './webhook-events.ts'
import { endWork, insertWork, listOpen } from './work-table.ts'

/** {@link SearchStore.insertSearches}, in memory. */
export function insertSearches(
  tables: Tables,
  owner: string,
  searches: readonly NewSearch[],
  once?: IdempotencyRecord,
  audit?: readonly NewAuditEntry[],
  group?: NewGroup,
): CreateOutcome | { readonly kind: 'unknown_device' } {
  const rows = searches.map((search) => toSearchRow(owner, search))
  return insertWork(tables, tables.searches, { owner, rows, once, audit, group })
}

/** {@link SearchStore.listPendingSearches}, in memory. */
export function listPendingSearches(
  tables: Tables,
  deviceId: string,
  limit: number,
  now: string,
): SearchRequest[] {
  return listOpen(tables.searches, deviceId, limit, (row) => isSearchPending(row, now)).map(toSearchRequest)
}

/** {@link SearchStore.settleSearch}, in memory. */
export function settleSearch(
  tables: Tables,
  report: { id: string; deviceId: string; outcome: SearchOutcome; isSelected?: boolean; now: string },
): SettleOutcome {
  const row = tables.searches.byId.get(report.id)
  if (row === undefined || row.deviceId !== report.deviceId) return { kind: 'unknown' }
  const already = toSearchAlready(row, report.now)
  if (already !== undefined) return already
  const selects = report.isSelected === true ? undefined : toSelects(row)
  if (selects !== undefined) return selects
  row.status = report.outcome.status
  row.results = toResultsText(report.outcome.results)
  row.resultsState = resultsStateOf(report.outcome)
  row.filesFound = report.outcome.filesFound ?? 0
  row.resultsBlobId = report.outcome.resultsBlobId ?? null
  if (row.resultsBlobId !== null) tables.resultsByBlob.set(row.resultsBlobId, row)
  row.error = report.outcome.error
  row.completedAt = report.now
  endWork(tables.searches, row)
  addSearchSettled(tables, row)
  return toSettled(row)
}

/** {@link SearchStore.listSearches}, in memory. */
export function listSearches(
  tables: Tables,
  owner: string,
  filter: SearchFilter,
  page: PageRequest,
  now: string,
): Page<StoredSearch> {
  const accepts = (row: SearchRow) =>
    row.owner === owner &&
    (filter.groupId ?? row.groupId) === row.groupId &&
    (filter.status === undefined || (toSearchAlready(row, now)?.status ?? 'pending') === filter.status)
  const found = readPage(searchesOf(tables, owner, filter), page, accepts)
  const deviceOf = ({ deviceId }: SearchRow) => {
    const { name: deviceName = '', catalogBlobId = null } = tables.devices.get(deviceId) ?? {}
    return { deviceName, catalogBlobId }
  }
  return { ...found, rows: found.rows.map((row) => toStoredSearch(row, deviceOf(row), now)) }
}

function searchesOf(tables: Tables, owner: string, filter: SearchFilter): readonly SearchRow[] {
  if (filter.queryId !== undefined) {
    const row = tables.searches.byId.get(filter.queryId)
    return row !== undefined && (filter.deviceId ?? row.deviceId) === row.deviceId ? [row] : []
  }
  if (filter.deviceId !== undefined) return tables.searches.byDevice.get(filter.deviceId) ?? []
  if (filter.groupId !== undefined) return tables.searches.byGroup.get(filter.groupId) ?? []
  return tables.searches.byOwner.get(owner) ?? []
}

/** {@link SearchStore.expireWork}, in memory. */
export function expireWork(tables: Tables, limit: number, now: string): ExpiredWork {
  const searches = overIn(tables.searches, (row) => row.expiresAt <= now).slice(0, limit)
  const uploads = overIn(tables.uploads, (row) => uploadStatus(row, now) === 'failed').slice(0, limit)
  for (const row of searches) {
    Object.assign(row, { status: 'failed', error: expiredSearchError, completedAt: row.expiresAt })
    endWork(tables.searches, row)
    addSearchSettled(tables, row)
  }
  for (const row of uploads) {
    Object.assign(row, { status: 'failed', error: expiredUploadError, completedAt: row.expiresAt })
    endWork(tables.uploads, row)
    addUploadSettled(tables, row)
  }
  const waiting = [...overIn(tables.searches, () => true), ...overIn(tables.uploads, () => true)]
  const nextAt = nextExpiry(
    waiting.map(({ expiresAt }) => expiresAt),
    now,
  )
  return {
    searches: searches.map(({ id, deviceId, groupId, owner }) => ({ id, deviceId, groupId, owner })),
    uploads: uploads.map(({ id, deviceId, owner }) => ({ id, deviceId, owner })),
    nextAt: Math.max(searches.length, uploads.length) < limit ? nextAt : now,
  }
}

/** Rows that nobody has settled, those that expire first in front. */
function overIn<Row extends { readonly status: string; readonly expiresAt: string }>(
  { byId }: WorkTable<Row>,
  accepts: (row: Row) => boolean,
): Row[] {
  const open = [...byId.values()].filter((row) => row.status === 'pending' && accepts(row))
  return open.toSorted((a, b) => (a.expiresAt < b.expiresAt ? -1 : 1))
}
