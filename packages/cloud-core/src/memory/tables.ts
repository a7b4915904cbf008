import type { StoredDelivery } from '@homeward/kit/webhooks'
import type { NewAuditEntry } from '../ports/audit-store.ts'
import type { IdempotencyRecord } from '../ports/idempotency-record.ts'
import type { PresenceHistory } from '../ports/presence-store.ts'
import type { StoredToken } from '../ports/token-store.ts'
import type { CloudWebhook } from '../ports/webhook-store.ts'
import type { DeviceRow } from '../sql/device-row.ts'
import type { EnrollmentRow, EnrollmentTokenRow } from '../sql/enrollment-row.ts'
import type { GroupRow } from '../sql/group-row.ts'
import type { SavedSearchRow } from '../sql/saved-search-row.ts'
import type { SearchRow } from '../sql/search-row.ts'
import type { UploadRow } from '../sql/upload-row.ts'

/** Rows of one kind of work, by id and in order. Lists are sorted oldest first and made when first needed. */
export interface WorkTable<Row> {
  readonly byId: Map<string, Row>
  readonly byOwner: Map<string, Row[]>
  readonly byDevice: Map<string, Row[]>
  readonly byGroup: Map<string, Row[]>
  /** Rows that are not settled; expired ones may still be among them. */
  readonly openByDevice: Map<string, Row[]>
}

/** Everything a memory store holds. */
export interface Tables {
  readonly devices: Map<string, DeviceRow>
  /** By device. */
  readonly catalogRevisions: Map<string, number>
  readonly devicesByOwner: Map<string, DeviceRow[]>
  /** Current and previous keys. */
  readonly devicesByHash: Map<string, DeviceRow>
  /** Ids of devices that were reported as offline after their last heartbeat. */
  readonly offline: Set<string>
  /** By device. */
  readonly histories: Map<string, PresenceHistory>
  readonly searches: WorkTable<SearchRow>
  readonly uploads: WorkTable<UploadRow>
  readonly groups: Map<string, GroupRow>
  /** Oldest first. */
  readonly groupsByOwner: Map<string, GroupRow[]>
  readonly savedSearches: Map<string, SavedSearchRow>
  /** The completed upload of a blob. */
  readonly uploadsByBlob: Map<string, UploadRow>
  /** The search of a file of results. */
  readonly resultsByBlob: Map<string, SearchRow>
  /** By scope and key, oldest first. */
  readonly once: Map<string, IdempotencyRecord>
  /** By user, oldest first. */
  readonly audit: Map<string, NewAuditEntry[]>
  readonly auditIds: Set<string>
  readonly enrollments: EnrollmentTable
  readonly enrollmentTokens: {
    readonly byId: Map<string, EnrollmentTokenRow>
    readonly bySecret: Map<string, EnrollmentTokenRow>
  }
  readonly secrets: Map<string, string>
  /** By id. */
  readonly tokens: Map<string, StoredToken>
  /** By id. */
  readonly webhooks: Map<string, CloudWebhook>
  /** By webhook, oldest first. */
  readonly deliveries: Map<string, StoredDelivery[]>
  /** Files whose rows are gone. */
  readonly blobRemovals: Set<string>
  /** Owners that are being erased, with the entry of the audit that stays. */
  readonly erasures: Map<string, NewAuditEntry>
}

/** Enrollments, by all that they are found by. */
interface EnrollmentTable {
  readonly byId: Map<string, EnrollmentRow>
  readonly byKey: Map<string, EnrollmentRow>
  /** Those that nobody decided about. */
  readonly byCode: Map<string, EnrollmentRow>
  readonly byDevice: Map<string, EnrollmentRow>
  /** Those that are deleted in time. */
  readonly toPurge: Set<EnrollmentRow>
}

/** Empty tables. */
export function createTables(): Tables {
  return {
    devices: new Map(),
    catalogRevisions: new Map(),
    devicesByOwner: new Map(),
    devicesByHash: new Map(),
    offline: new Set(),
    histories: new Map(),
    searches: createWorkTable(),
    uploads: createWorkTable(),
    groups: new Map(),
    groupsByOwner: new Map(),
    savedSearches: new Map(),
    uploadsByBlob: new Map(),
    resultsByBlob: new Map(),
    once: new Map(),
    audit: new Map(),
    auditIds: new Set(),
    enrollments: {
      byId: new Map(),
      byKey: new Map(),
      byCode: new Map(),
      byDevice: new Map(),
      toPurge: new Set(),
    },
    enrollmentTokens: { byId: new Map(), bySecret: new Map() },
    secrets: new Map(),
    tokens: new Map(),
    webhooks: new Map(),
    deliveries: new Map(),
    blobRemovals: new Set(),
    erasures: new Map(),
  }
}

/** The list under a key, made when it is missing. */
export function listIn<Row>(lists: Map<string, Row[]>, key: string): Row[] {
  let rows = lists.get(key)
  if (rows === undefined) {
    rows = []
    lists.set(key, rows)
  }
  return rows
}

function createWorkTable<Row>(): WorkTable<Row> {
  return {
    byId: new Map(),
    byOwner: new Map(),
    byDevice: new Map(),
    byGroup: new Map(),
    openByDevice: new Map(),
  }
}
