import type { AuditEntry } from '@homeward/contract/device-cloud'
import type { SearchRow } from './search-row.ts'
import type { UploadRow } from './upload-row.ts'

/** Registered devices with their keys. */
export interface DevicesTable {
  id: string
  owner: string
  name: string
  type: string
  platform: string
  /** JSON. */
  metadata: string
  last_seen_at: string | null
  created_at: string
  key_hash: string
  key_hint: string
  key_sealed: string | null
  previous_hash: string | null
  previous_until: string | null
}

/** Searches; `status` is without regard to expiry. */
export interface SearchesTable {
  id: string
  device_id: string
  owner: string
  query: string
  /** JSON. */
  scope: string
  created_at: string
  expires_at: string
  status: SearchRow['status']
  /** JSON. */
  results: string | null
  error: string | null
  completed_at: string | null
}

/** Upload requests; `status` is without regard to expiry and leases. */
export interface UploadsTable {
  id: string
  device_id: string
  owner: string
  file_path: string
  destination: 'cloud'
  created_at: string
  expires_at: string
  status: UploadRow['status']
  lease_until: string | null
  attempt_blob_id: string | null
  file_blob_id: string | null
  file_name: string | null
  file_size: number | null
  /** JSON. */
  file_links: string | null
  error: string | null
  completed_at: string | null
}

/** Creations that must not happen twice (C20). */
export interface CreationsTable {
  scope: string
  key_hash: string
  fingerprint: string
  reply: string
  created_at: string
  expires_at: string
}

/** Who did what (C24). */
export interface AuditTable {
  id: string
  owner: string
  created_at: string
  expires_at: string | null
  action: AuditEntry['action']
  outcome: AuditEntry['outcome']
  reason: string | null
  device_id: string | null
  subject_id: string | null
  name: string | null
  address: string | null
}

/** The tables of the device cloud. */
export interface CloudTables {
  devices: DevicesTable
  searches: SearchesTable
  uploads: UploadsTable
  creations: CreationsTable
  audit: AuditTable
}

/** Columns of a `DeviceRow`. */
export const deviceColumns = [
  'devices.id',
  'devices.owner',
  'devices.name',
  'devices.type',
  'devices.platform',
  'devices.metadata',
  'devices.last_seen_at as lastSeenAt',
  'devices.created_at as createdAt',
  'devices.key_hash as keyHash',
  'devices.key_hint as keyHint',
  'devices.key_sealed as keySealed',
  'devices.previous_hash as previousHash',
  'devices.previous_until as previousUntil',
] as const

/** Columns of a `SearchRow`. */
export const searchColumns = [
  'searches.id',
  'searches.device_id as deviceId',
  'searches.owner',
  'searches.query',
  'searches.scope',
  'searches.created_at as createdAt',
  'searches.expires_at as expiresAt',
  'searches.status',
  'searches.results',
  'searches.error',
  'searches.completed_at as completedAt',
] as const

/** Columns of an `UploadRow`. */
export const uploadColumns = [
  'uploads.id',
  'uploads.device_id as deviceId',
  'uploads.owner',
  'uploads.file_path as filePath',
  'uploads.destination',
  'uploads.created_at as createdAt',
  'uploads.expires_at as expiresAt',
  'uploads.status',
  'uploads.lease_until as leaseUntil',
  'uploads.attempt_blob_id as attemptBlobId',
  'uploads.file_blob_id as fileBlobId',
  'uploads.file_name as fileName',
  'uploads.file_size as fileSize',
  'uploads.file_links as fileLinks',
  'uploads.error',
  'uploads.completed_at as completedAt',
] as const

/** Columns of an `AuditEntry`. */
export const auditColumns = [
  'audit.id',
  'audit.created_at as createdAt',
  'audit.owner as userId',
  'audit.action',
  'audit.outcome',
  'audit.reason',
  'audit.device_id as deviceId',
  'audit.subject_id as subjectId',
  'audit.name',
  'audit.address',
] as const
