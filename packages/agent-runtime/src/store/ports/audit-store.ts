import type { JsonObject } from '@homeward/contract/agent-platform'
import type { Page, PageRequest } from './page.ts'

/** An entry of the audit, before it is written (A27). Holds no secrets. */
export interface NewAuditEntry {
  readonly id: string
  /** ISO 8601 text in UTC, milliseconds. */
  readonly at: string
  readonly actor: string
  readonly action: string
  readonly target: string
  readonly outcome: 'done' | 'refused'
  readonly details?: JsonObject
}

/** How an act ended whose entry was written before it began. */
export interface AuditOutcome {
  readonly id: string
  readonly target: string
  readonly outcome: 'done' | 'refused'
  /** Takes the place of the details that are there. */
  readonly details?: JsonObject
}

/** Which entries. Absent fields match everything. */
export interface AuditFilter {
  readonly actor?: string | undefined
  readonly action?: string | undefined
  readonly target?: string | undefined
  /** Entries of this time and later. */
  readonly from?: string | undefined
  /** Entries before this time. */
  readonly to?: string | undefined
}

/**
 * Store of the audit log. Methods that change audited data take an entry and write it in the same transaction, only
 * if they change something. Implementations must pass `auditStoreConformance`.
 */
export interface AuditStore {
  /** Writes an entry about an action outside this store. */
  appendAudit(entry: NewAuditEntry, signal?: AbortSignal): Promise<void>
  /** Completes an entry. Does nothing if it no longer exists. */
  settleAudit(outcome: AuditOutcome, signal?: AbortSignal): Promise<void>
  /** Lists entries, newest first. */
  listAudit(filter: AuditFilter, page: PageRequest, signal?: AbortSignal): Promise<Page<NewAuditEntry>>
}
