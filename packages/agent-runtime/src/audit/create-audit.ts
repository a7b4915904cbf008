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

/** Who changed what over HTTP, and who was refused (A27). Calls of your own code are not recorded, unless you record them. */
export interface Audit {
  /** The newest first. @throws {RuntimeError} `validation_error` for a cursor of another list. */
  list(query?: AuditListQuery, signal?: AbortSignal): Promise<AuditPage>
  /** Records something that your own code did on behalf of somebody. Must hold no secrets. */
  record(entry: NewAuditEntry): Promise<void>
  /** Completes an entry that was recorded before its act began. */
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
