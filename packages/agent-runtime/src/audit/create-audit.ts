import type { AuditRecord } from '@homeward/contract/agent-platform'
import { boundedLimit } from '../paging/bounded-limit.ts'
import { readPage } from '../paging/read-page.ts'
import type { AuditFilter, AuditOutcome, AuditStore, NewAuditEntry } from '../store/ports/audit-store.ts'

/** Which entries of the audit. */
interface AuditListQuery extends AuditFilter {
  /** 1 to 500. @default 100 */
  readonly limit?: number | undefined
  /** Where the page before ended. */
  readonly cursor?: string | undefined
}

/** A page of the audit. */
interface AuditPage {
  readonly entries: readonly AuditRecord[]
  /** Present if there are more. */
  readonly nextCursor?: string
}

/**
 * The audit log of changes and rejected requests over HTTP. Calls of your own code are not recorded, unless you
 * record them.
 */
export interface Audit {
  /** Lists entries, newest first. @throws {RuntimeError} `validation_error` for a cursor of another list. */
  list(query?: AuditListQuery, signal?: AbortSignal): Promise<AuditPage>
  /** Records an action of your own code for a user or caller. Must not contain secrets. */
  record(entry: NewAuditEntry): Promise<void>
  /** Completes an entry that was recorded before its action started. */
  settle(outcome: AuditOutcome): Promise<void>
}

/** Reads and writes the audit over a store. */
export function createAudit(store: AuditStore): Audit {
  return {
    async list({ limit = 100, cursor, ...filter } = {}, signal) {
      const page = { limit: boundedLimit(limit, 500), cursor }
      const { rows, nextCursor } = await readPage('audit', page, (own) =>
        store.listAudit(filter, own, signal),
      )
      return { entries: rows, ...(nextCursor !== undefined && { nextCursor }) }
    },
    record: (entry) => store.appendAudit(entry),
    settle: (outcome) => store.settleAudit(outcome),
  }
}
