import type { AuditEntry } from '@homeward/contract/device-cloud'
import type { EnrollmentsTable, EnrollmentTokensTable, SecretsTable } from './enrollment-schema.ts'
import { type Generated, sql } from 'kysely'
import type { WebhookTables } from '@homeward/kit/sql'
import type { GroupCountsTable, WaitingSearchesTable } from './group-counts.ts'
import type { GroupsTable, SavedSearchesTable } from './group-tables.ts'
import type { SearchRow } from './search-row.ts'
import type { BlobRemovalsTable, ErasuresTable } from './retention-tables.ts'
import type { ApiTokensTable } from './token-table.ts'
import type { UploadRow } from './upload-row.ts'

/** Registered devices with their keys. */
interface DevicesTable {
  id: string
  owner: string
  name: string
  type: string
  platform: string
  /** JSON. */
  metadata: string
  created_at: string
  key_hash: string
  key_hint: string
  key_sealed: string | null
  previous_hash: string | null
  previous_until: string | null
  /** JSON: the labels as they were given. Lists by label read `device_labels`. */
  labels: string
  /** What a filter by text looks through; see `toSearchText`. */
  search_text: string
  catalog_blob_id: string | null
  catalog_as_of: string | null
  catalog_files: number | null
  catalog_bytes: number | null
  /** Grows with each change of the catalog. */
  catalog_revision: Generated<number>
}

/** Labels of devices, with the place of their device in lists, which never changes. */
interface DeviceLabelsTable {
  owner: string
  label: string
  created_at: string
  device_id: string
}

/**
 * When devices were last seen: apart from the devices, because each heartbeat writes a row, and refers to nothing, so
 * that it can lie in another database.
 */
interface PresenceTable {
  device_id: string
  /** Milliseconds since the epoch. */
  last_seen_ms: number
  /** When the device was reported as offline, in milliseconds since the epoch; null since its last heartbeat. */
  offline_ms: number | null
  /** The first heartbeat. */
  first_seen_ms: number
}

/** Times without heartbeats that are over, where the last-seen times are. Milliseconds since the epoch. */
interface PresenceGapsTable {
  device_id: string
  from_ms: number
  to_ms: number
}

/** Searches; `status` is without regard to expiry. */
interface SearchesTable {
  id: string
  device_id: string
  group_id: string | null
  owner: string
  query: string
  /** JSON. */
  scope: string
  /** JSON. */
  selection: string | null
  /** Who asked; null: the owner. */
  actor: string | null
  created_at: string
  expires_at: string
  status: SearchRow['status']
  /** JSON. */
  results: string | null
  /** File of results that are too large for a row. */
  results_blob_id: string | null
  results_state: number
  files_found: number
  error: string | null
  completed_at: string | null
}

/** Upload requests; `status` is without regard to expiry and leases. */
interface UploadsTable {
  id: string
  device_id: string
  group_id: string | null
  owner: string
  file_path: string
  destination: 'cloud'
  /** Who asked; null: the owner. */
  actor: string | null
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
interface CreationsTable {
  scope: string
  key_hash: string
  fingerprint: string
  reply: string
  created_at: string
  expires_at: string
}

/** Who did what (C24). */
interface AuditTable {
  id: string
  owner: string
  /** Who acted; null: the owner. */
  actor: string | null
  created_at: string
  expires_at: string | null
  action: AuditEntry['action']
  outcome: AuditEntry['outcome']
  reason: string | null
  device_id: string | null
  /** JSON of the devices of an act on several. */
  devices: string | null
  /** 1 where `devices` names all of them. */
  names_all: number | null
  subject_id: string | null
  name: string | null
  address: string | null
}

/** Webhooks; those of the device cloud can have a filter. */
type WebhooksTable = WebhookTables['webhooks'] & {
  /** JSON. */
  filter: string | null
}

/** The tables of the device cloud. */
export interface CloudTables extends WebhookTables {
  webhooks: WebhooksTable
  api_tokens: ApiTokensTable
  blob_removals: BlobRemovalsTable
  erasures: ErasuresTable
  devices: DevicesTable
  device_labels: DeviceLabelsTable
  presence: PresenceTable
  presence_gaps: PresenceGapsTable
  searches: SearchesTable
  uploads: UploadsTable
  waiting_searches: WaitingSearchesTable
  work_groups: GroupsTable
  group_counts: GroupCountsTable
  saved_searches: SavedSearchesTable
  creations: CreationsTable
  audit: AuditTable
  enrollments: EnrollmentsTable
  enrollment_tokens: EnrollmentTokensTable
  secrets: SecretsTable
}

/** A value instead of a join, so that a device can be locked while it is read. */
const lastSeenMs = sql<number | null>`(select presence.last_seen_ms from presence
  where presence.device_id = devices.id)`.as('lastSeenMs')

/** Columns of a `DeviceRow`. */
export const deviceColumns = [
  'devices.id',
  'devices.owner',
  'devices.name',
  'devices.type',
  'devices.platform',
  'devices.metadata',
  lastSeenMs,
  'devices.created_at as createdAt',
  'devices.key_hash as keyHash',
  'devices.key_hint as keyHint',
  'devices.key_sealed as keySealed',
  'devices.previous_hash as previousHash',
  'devices.previous_until as previousUntil',
  'devices.labels',
  'devices.catalog_blob_id as catalogBlobId',
  'devices.catalog_as_of as catalogAsOf',
  'devices.catalog_files as catalogFiles',
  'devices.catalog_bytes as catalogBytes',
] as const

/** Columns of a `SearchRow`. */
export const searchColumns = [
  'searches.id',
  'searches.device_id as deviceId',
  'searches.group_id as groupId',
  'searches.owner',
  'searches.query',
  'searches.scope',
  'searches.selection',
  'searches.actor',
  'searches.created_at as createdAt',
  'searches.expires_at as expiresAt',
  'searches.status',
  'searches.results',
  'searches.results_blob_id as resultsBlobId',
  'searches.results_state as resultsState',
  'searches.files_found as filesFound',
  'searches.error',
  'searches.completed_at as completedAt',
] as const

/** Columns of an `UploadRow`. */
export const uploadColumns = [
  'uploads.id',
  'uploads.device_id as deviceId',
  'uploads.group_id as groupId',
  'uploads.owner',
  'uploads.file_path as filePath',
  'uploads.destination',
  'uploads.actor',
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

/** Columns of an `AuditRow`. */
export const auditColumns = [
  'audit.id',
  'audit.created_at as createdAt',
  'audit.owner as userId',
  'audit.actor',
  'audit.action',
  'audit.outcome',
  'audit.reason',
  'audit.device_id as deviceId',
  'audit.devices',
  'audit.subject_id as subjectId',
  'audit.name',
  'audit.address',
] as const
