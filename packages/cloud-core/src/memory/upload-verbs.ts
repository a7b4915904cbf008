import type { UploadRequest } from '@homeward/contract/device-cloud'
import { CloudStoreError } from '../ports/cloud-store-error.ts'
import type { NewAuditEntry } from '../ports/audit-store.ts'
import type { NewGroup } from '../ports/group-store.ts'
import type { CreateOutcome, IdempotencyRecord } from '../ports/idempotency-record.ts'
import type { Page, PageRequest } from '../ports/page.ts'
import type {
  LeaseOutcome,
  NewUpload,
  FoundFile,
  StoredUpload,
  UploadConflict,
  UploadFilter,
  UploadLease,
  UploadOutcome,
} from '../ports/upload-store.ts'
import type { UploadRow } from '../sql/upload-row.ts'
import {
  isHeldByOther,
  supersededBlob,
  toStoredFile,
  toStoredUpload,
  toUploadAlready,
  toUploadCancel,
  toUploadEnd,
  toUploadRequest,
  toUploadRow,
  uploadStatus,
} from '../sql/upload-row.ts'
import { appendAudit } from './audit-verbs.ts'
import { readPage } from './sorted-rows.ts'
import type { Tables } from './tables.ts'
import { addUploadSettled } from './webhook-events.ts'
import { endWork, insertWork, listOpen } from './work-table.ts'

/** {@link UploadStore.insertUploads}, in memory. */
export function insertUploads(
  tables: Tables,
  owner: string,
  uploads: readonly NewUpload[],
  once?: IdempotencyRecord,
  audit?: readonly NewAuditEntry[],
  group?: NewGroup,
): CreateOutcome | { readonly kind: 'unknown_device' } {
  const rows = uploads.map((upload) => toUploadRow(owner, upload))
  return insertWork(tables, tables.uploads, { owner, rows, once, audit, group })
}

/** {@link UploadStore.listPendingUploads}, in memory. */
export function listPendingUploads(
  tables: Tables,
  deviceId: string,
  limit: number,
  now: string,
): UploadRequest[] {
  const isPending = (row: UploadRow) => uploadStatus(row, now) === 'pending'
  return listOpen(tables.uploads, deviceId, limit, isPending).map(toUploadRequest)
}

/** {@link UploadStore.leaseUpload}, in memory. */
export function leaseUpload(tables: Tables, lease: UploadLease): LeaseOutcome {
  const row = tables.uploads.byId.get(lease.id)
  if (row === undefined || row.deviceId !== lease.deviceId) return { kind: 'unknown' }
  const already = toUploadAlready(row, lease.now)
  if (already !== undefined) return already
  if (isHeldByOther(row, lease)) return { kind: 'held', filePath: row.filePath }
  const { maxLeases: limit = Infinity } = lease
  const isLeased = (each: UploadRow) => uploadStatus(each, lease.now) === 'uploading'
  if (!isLeased(row) && listOpen(tables.uploads, lease.deviceId, limit, isLeased).length >= limit)
    return { kind: 'busy' }
  const supersededBlobId = supersededBlob(row, lease.blobId)
  row.attemptBlobId = lease.blobId
  row.leaseUntil = lease.leaseUntil
  return { kind: 'leased', filePath: row.filePath, supersededBlobId }
}

/** {@link UploadStore.settleUpload}, in memory. */
export function settleUpload(
  tables: Tables,
  report: { id: string; deviceId: string; outcome: UploadOutcome; now: string },
): { readonly kind: 'settled' } | UploadConflict | { readonly kind: 'unknown' } {
  const row = tables.uploads.byId.get(report.id)
  if (row === undefined || row.deviceId !== report.deviceId) return { kind: 'unknown' }
  const already = toUploadAlready(row, report.now)
  if (already !== undefined) return already
  const end = toUploadEnd(report.outcome, report.now)
  if (end.fileBlobId !== null) {
    if (tables.uploadsByBlob.has(end.fileBlobId)) {
      throw new CloudStoreError(
        'CONFLICT',
        'Settling an upload failed: its blob id is already in use. Create a new one.',
      )
    }
    tables.uploadsByBlob.set(end.fileBlobId, row)
  }
  Object.assign(row, end)
  endWork(tables.uploads, row)
  addUploadSettled(tables, row)
  return { kind: 'settled' }
}

/** {@link UploadStore.cancelUpload}, in memory. */
export function cancelUpload(
  tables: Tables,
  owner: string,
  id: string,
  now: string,
  audit?: readonly NewAuditEntry[],
):
  | { readonly kind: 'canceled'; readonly deviceId: string; readonly again?: true }
  | UploadConflict
  | { readonly kind: 'unknown' } {
  const row = tables.uploads.byId.get(id)
  if (row === undefined || row.owner !== owner) return { kind: 'unknown' }
  const already = toUploadAlready(row, now)
  if (already !== undefined && already.status !== 'canceled') return already
  if (already !== undefined) return { kind: 'canceled', deviceId: row.deviceId, again: true }
  appendAudit(
    tables,
    audit?.map((entry) => ({ ...entry, deviceId: row.deviceId })),
  )
  Object.assign(row, toUploadCancel(now))
  endWork(tables.uploads, row)
  addUploadSettled(tables, row)
  return { kind: 'canceled', deviceId: row.deviceId }
}

/** {@link UploadStore.listUploads}, in memory. */
export function listUploads(
  tables: Tables,
  owner: string,
  filter: UploadFilter,
  page: PageRequest,
  now: string,
): Page<StoredUpload> {
  const accepts = (row: UploadRow) =>
    row.owner === owner &&
    (filter.groupId ?? row.groupId) === row.groupId &&
    (filter.status === undefined || uploadStatus(row, now) === filter.status)
  const found = readPage(uploadsOf(tables, owner, filter), page, accepts)
  const nameOf = (row: UploadRow) => tables.devices.get(row.deviceId)?.name ?? ''
  return { ...found, rows: found.rows.map((row) => toStoredUpload(row, nameOf(row), now)) }
}

/** {@link UploadStore.filterUnusedBlobs}, in memory. */
export function filterUnusedBlobs(tables: Tables, blobIds: readonly string[]): readonly string[] {
  const catalogs = new Set([...tables.devices.values()].map(({ catalogBlobId }) => catalogBlobId))
  return blobIds.filter(
    (id) => !tables.uploadsByBlob.has(id) && !tables.resultsByBlob.has(id) && !catalogs.has(id),
  )
}

/** {@link UploadStore.findFile}, in memory. */
export function findFile(tables: Tables, owner: string, blobId: string): FoundFile | undefined {
  const row = tables.uploadsByBlob.get(blobId)
  const file = row?.owner === owner ? toStoredFile(row) : null
  return row && file ? { ...file, deviceId: row.deviceId } : undefined
}

function uploadsOf(tables: Tables, owner: string, filter: UploadFilter): readonly UploadRow[] {
  if (filter.requestId !== undefined) {
    const row = tables.uploads.byId.get(filter.requestId)
    return row !== undefined && (filter.deviceId ?? row.deviceId) === row.deviceId ? [row] : []
  }
  if (filter.deviceId !== undefined) return tables.uploads.byDevice.get(filter.deviceId) ?? []
  if (filter.groupId !== undefined) return tables.uploads.byGroup.get(filter.groupId) ?? []
  return tables.uploads.byOwner.get(owner) ?? []
}
