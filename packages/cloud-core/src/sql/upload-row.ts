import type { UploadRequest, UploadStatus } from '@homeward/contract/device-cloud'
import type { BlobLinks } from '../ports/blob-store.ts'
import type {
  NewUpload,
  StoredFile,
  StoredUpload,
  UploadConflict,
  UploadLease,
  UploadOutcome,
} from '../ports/upload-store.ts'
import { canceledUploadError, expiredUploadError } from '../uploads/expiry.ts'
import { isLeaseHeld } from '../uploads/lease-times.ts'
import { actorOf } from './search-row.ts'

/**
 * An upload request as adapters keep it: flat, links as JSON text. `status` stays `pending` until the request is
 * settled or canceled: expiry and leases are read off `expiresAt` and `leaseUntil`.
 */
export interface UploadRow {
  id: string
  deviceId: string
  groupId: string | null
  owner: string
  filePath: string
  destination: 'cloud'
  actor: string | null
  createdAt: string
  expiresAt: string
  status: 'pending' | 'completed' | 'failed' | 'canceled'
  leaseUntil: string | null
  attemptBlobId: string | null
  fileBlobId: string | null
  fileName: string | null
  fileSize: number | null
  fileLinks: string | null
  error: string | null
  completedAt: string | null
}

/** The columns that end a request. */
export type UploadEnd = Pick<
  UploadRow,
  'status' | 'fileBlobId' | 'fileName' | 'fileSize' | 'fileLinks' | 'error' | 'completedAt'
>

const noFile = { fileBlobId: null, fileName: null, fileSize: null, fileLinks: null }

/** Row of a new upload request. */
export function toUploadRow(owner: string, upload: NewUpload): UploadRow {
  return {
    id: upload.id,
    deviceId: upload.deviceId,
    groupId: upload.groupId,
    owner,
    filePath: upload.filePath,
    destination: upload.destination,
    actor: upload.actor ?? null,
    createdAt: upload.createdAt,
    expiresAt: upload.expiresAt,
    status: upload.refused === undefined ? 'pending' : 'failed',
    leaseUntil: null,
    attemptBlobId: null,
    ...noFile,
    error: upload.refused ?? null,
    completedAt: upload.refused === undefined ? null : upload.createdAt,
  }
}

/** Columns of a settled request. */
export function toUploadEnd(outcome: UploadOutcome, now: string): UploadEnd {
  if (outcome.status === 'failed')
    return { ...noFile, status: 'failed', error: outcome.error, completedAt: now }
  const { blobId, fileName, size, links } = outcome.file
  return {
    status: 'completed',
    fileBlobId: blobId,
    fileName,
    fileSize: size,
    fileLinks: JSON.stringify(links),
    error: null,
    completedAt: now,
  }
}

/** Columns of a canceled request. */
export function toUploadCancel(now: string): UploadEnd {
  return { ...noFile, status: 'canceled', error: canceledUploadError, completedAt: now }
}

/** What the device is asked to send. */
export function toUploadRequest(
  row: Pick<UploadRow, 'id' | 'filePath' | 'destination' | 'actor' | 'createdAt'>,
): UploadRequest {
  const { id, filePath, destination, createdAt } = row
  return { id, filePath, destination, createdAt, ...actorOf(row) }
}

/** Status of a request as seen at `now` (C4). */
export function uploadStatus(
  row: Pick<UploadRow, 'status' | 'leaseUntil' | 'expiresAt'>,
  now: string,
): UploadStatus {
  if (row.status !== 'pending') return row.status
  if (isLeaseHeld(row.leaseUntil, now)) return 'uploading'
  return row.expiresAt <= now ? 'failed' : 'pending'
}

/** The file that settled a request, if one did. */
export function toStoredFile(row: UploadRow): StoredFile | null {
  const { fileBlobId, fileName, fileSize, fileLinks } = row
  if (fileBlobId === null || fileName === null || fileSize === null) return null
  // Written by `JSON.stringify` from checked links.
  const links = fileLinks === null ? {} : (JSON.parse(fileLinks) as BlobLinks)
  return { blobId: fileBlobId, fileName, size: fileSize, links }
}

/** How the request ended as seen at `now`; undefined while it is open. */
export function toUploadAlready(row: UploadRow, now: string): UploadConflict | undefined {
  const status = uploadStatus(row, now)
  if (status === 'pending' || status === 'uploading') return undefined
  const file = toStoredFile(row)
  if (status === 'completed' && file !== null) return { kind: 'already', status, file }
  if (status === 'canceled') return { kind: 'already', status, error: row.error ?? canceledUploadError }
  return { kind: 'already', status: 'failed', error: row.error ?? expiredUploadError }
}

/** The request as it stands at `now`. */
export function toStoredUpload(row: UploadRow, deviceName: string, now: string): StoredUpload {
  const status = uploadStatus(row, now)
  const expired = status === 'failed' && row.status === 'pending'
  return {
    id: row.id,
    deviceId: row.deviceId,
    groupId: row.groupId,
    deviceName,
    filePath: row.filePath,
    destination: row.destination,
    ...actorOf(row),
    createdAt: row.createdAt,
    expiresAt: row.expiresAt,
    status,
    file: toStoredFile(row),
    error: expired ? expiredUploadError : row.error,
    completedAt: expired ? row.expiresAt : row.completedAt,
  }
}

/** Whether the request is to be left to the attempt that holds its lease (`UploadLease.yields`). */
export function isHeldByOther(row: UploadRow, { yields = false, blobId, now }: UploadLease): boolean {
  return yields && row.attemptBlobId !== blobId && uploadStatus(row, now) === 'uploading'
}

/** The blob that a new attempt leaves behind; null when it goes on with its own. */
export function supersededBlob(row: Pick<UploadRow, 'attemptBlobId'>, blobId: string): string | null {
  return row.attemptBlobId === blobId ? null : row.attemptBlobId
}
