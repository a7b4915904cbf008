import { type AuditEntry, quotaExceededError } from '@homeward/contract/device-cloud'
import { concernsDevice } from '../audit/audited-devices.ts'
import type { AskedWork, AuditFilter, NewAuditEntry } from '../ports/audit-store.ts'
import { CloudStoreError } from '../ports/cloud-store-error.ts'
import type { Page, PageRequest } from '../ports/page.ts'
import { type AskedRow, toAskedWork } from '../sql/asked-plans.ts'
import { addSorted, comparePositions, readPage } from './sorted-rows.ts'
import type { Tables } from './tables.ts'
import { listIn } from './tables.ts'

/** {@link AuditStore.appendAudit}, in memory; the part of other verbs that records them. Comes before what they change. */
export function appendAudit(tables: Tables, entries: readonly NewAuditEntry[] = []): void {
  const ids = new Set(entries.map(({ id }) => id))
  if (ids.size < entries.length || entries.some(({ id }) => tables.auditIds.has(id))) {
    throw new CloudStoreError(
      'CONFLICT',
      'Adding to the audit failed: an id is already in use. Create a new one.',
    )
  }
  for (const entry of entries) {
    const rows = listIn(tables.audit, entry.userId)
    // As they come in order, what expires first stands first.
    while (rows[0] !== undefined && isOver(rows[0], entry.createdAt)) tables.auditIds.delete(rows.shift()!.id)
    addSorted(rows, { ...entry })
    tables.auditIds.add(entry.id)
  }
}

/** {@link AuditStore.listAudit}, in memory. */
export function listAudit(
  tables: Tables,
  userId: string,
  filter: AuditFilter,
  page: PageRequest,
  now: string,
): Page<AuditEntry> {
  const accepts = (row: NewAuditEntry) =>
    !isOver(row, now) &&
    (filter.action === undefined || row.action === filter.action) &&
    (filter.deviceId === undefined || concernsDevice(row, filter.deviceId)) &&
    (filter.actor === undefined || row.actor === filter.actor) &&
    (filter.from === undefined || row.createdAt >= filter.from) &&
    (filter.to === undefined || row.createdAt < filter.to)
  const found = readPage(tables.audit.get(userId) ?? [], page, accepts)
  return { ...found, rows: found.rows.map(({ expiresAt: _expiresAt, ...entry }) => entry) }
}

/** {@link AuditStore.listAsked}, in memory. */
export function listAsked(tables: Tables, deviceId: string, page: PageRequest, now: string): Page<AskedWork> {
  const searches = tables.searches.byDevice.get(deviceId) ?? []
  const uploads = tables.uploads.byDevice.get(deviceId) ?? []
  const rows: AskedRow[] = [
    ...searches.map((row) => ({ ...row, kind: 'search' as const, leaseUntil: null })),
    ...uploads.map((row) => ({ ...row, kind: 'upload' as const })),
  ]
  const found = readPage(rows.toSorted(comparePositions), page, ({ error }) => error !== quotaExceededError)
  return { ...found, rows: found.rows.map((row) => toAskedWork(row, now)) }
}

function isOver({ expiresAt }: NewAuditEntry, now: string): boolean {
  return expiresAt !== null && expiresAt <= now
}
