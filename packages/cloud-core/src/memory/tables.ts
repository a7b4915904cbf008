import type { NewAuditEntry } from '../ports/audit-store.ts'
import type { Once } from '../ports/once.ts'
import type { DeviceRow } from '../sql/device-row.ts'
import type { SearchRow } from '../sql/search-row.ts'
import type { UploadRow } from '../sql/upload-row.ts'

/** Rows of one kind of work, by id and in order. Lists are sorted oldest first and made when first needed. */
export interface WorkTable<Row> {
  readonly byId: Map<string, Row>
  readonly byOwner: Map<string, Row[]>
  readonly byDevice: Map<string, Row[]>
  /** Rows that are not settled; expired ones may still be among them. */
  readonly openByDevice: Map<string, Row[]>
}

/** Everything a memory store holds. */
export interface Tables {
  readonly devices: Map<string, DeviceRow>
  readonly devicesByOwner: Map<string, DeviceRow[]>
  /** Current and previous keys. */
  readonly devicesByHash: Map<string, DeviceRow>
  readonly searches: WorkTable<SearchRow>
  readonly uploads: WorkTable<UploadRow>
  /** The completed upload of a blob. */
  readonly uploadsByBlob: Map<string, UploadRow>
  /** By scope and key, oldest first. */
  readonly once: Map<string, Once>
  /** By user, oldest first. */
  readonly audit: Map<string, NewAuditEntry[]>
  readonly auditIds: Set<string>
}

/** Empty tables. */
export function createTables(): Tables {
  return {
    devices: new Map(),
    devicesByOwner: new Map(),
    devicesByHash: new Map(),
    searches: createWorkTable(),
    uploads: createWorkTable(),
    uploadsByBlob: new Map(),
    once: new Map(),
    audit: new Map(),
    auditIds: new Set(),
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
  return { byId: new Map(), byOwner: new Map(), byDevice: new Map(), openByDevice: new Map() }
}
