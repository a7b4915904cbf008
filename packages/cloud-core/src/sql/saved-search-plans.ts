import type { Kysely } from 'kysely'
import { all, first, emit, Undo } from '@homeward/kit/sql'
import type { NewAuditEntry } from '../ports/audit-store.ts'
import type { CreateOutcome, IdempotencyRecord } from '../ports/idempotency-record.ts'
import type { Page, PageRequest } from '../ports/page.ts'
import type { DueRun, StoredSavedSearch } from '../ports/saved-search-store.ts'
import type { CloudPlanParts } from './cloud-plans.ts'
import { toPage } from './page.ts'
import type { Plan } from './plan.ts'
import { toSavedSearchRow, toStoredSavedSearch } from './saved-search-row.ts'
import { createSavedSearchStatements } from './saved-search-statements.ts'
import type { CloudTables } from './schema.ts'

type InsertOutcome = CreateOutcome | { readonly kind: 'full' }
type Statements = ReturnType<typeof createSavedSearchStatements>

/** The verbs of `SavedSearchStore` as plans. */
export function createSavedSearchPlans(db: Kysely<CloudTables>, parts: CloudPlanParts) {
  const statements = createSavedSearchStatements(db)
  return { ...readPlans(statements), ...writePlans(statements, parts) }
}

function readPlans(statements: Statements) {
  return {
    *findSavedSearch(owner: string, id: string): Plan<StoredSavedSearch | undefined> {
      const row = yield* first(statements.find, { owner, id })
      return row && toStoredSavedSearch(row)
    },

    *listSavedSearches(owner: string, page: PageRequest): Plan<Page<StoredSavedSearch>> {
      const { after } = page
      const args = { owner, createdAt: after?.createdAt ?? '', id: after?.id ?? '', limit: page.limit + 1 }
      const rows = yield* all(after === undefined ? statements.listNewest : statements.listAfter, args)
      return toPage(rows, page.limit, toStoredSavedSearch)
    },

    *listDueSavedSearches(
      now: string,
      limit: number,
    ): Plan<{ due: readonly StoredSavedSearch[]; nextAt: string | null }> {
      const due = yield* all(statements.listDue, { now, limit })
      const next = yield* first(statements.findNext, { now, limit: 1 })
      return { due: due.map(toStoredSavedSearch), nextAt: next?.nextAt ?? null }
    },
  }
}

function writePlans(statements: Statements, { claimOnce, appendAudit, addGroup }: CloudPlanParts) {
  return {
    *insertSavedSearch(
      saved: StoredSavedSearch,
      limit: number,
      once: IdempotencyRecord | undefined,
      audit?: readonly NewAuditEntry[],
    ): Plan<InsertOutcome> {
      const repeated = yield* claimOnce(once)
      if (repeated !== undefined) return repeated
      const held = yield* all(statements.listIds, { owner: saved.owner, limit })
      if (held.length >= limit) throw new Undo<InsertOutcome>({ kind: 'full' })
      yield* all(statements.insert, toSavedSearchRow(saved))
      yield* appendAudit(audit)
      yield* emit({ topic: 'tasks' })
      return { kind: 'created' }
    },

    *replaceSavedSearch(saved: StoredSavedSearch, audit?: readonly NewAuditEntry[]): Plan<boolean> {
      if ((yield* first(statements.replace, toSavedSearchRow(saved))) === undefined) return false
      yield* appendAudit(audit)
      yield* emit({ topic: 'tasks' })
      return true
    },

    *deleteSavedSearch(owner: string, id: string, audit?: readonly NewAuditEntry[]): Plan<boolean> {
      if ((yield* first(statements.delete, { owner, id })) === undefined) return false
      yield* appendAudit(audit)
      return true
    },

    *runDueSavedSearch({ id, dueAt, nextAt, group, audit }: DueRun): Plan<boolean> {
      const moved = yield* first(statements.moveOn, { id, dueAt, nextAt })
      if (moved === undefined) return false
      yield* addGroup(moved.owner, group)
      yield* appendAudit(audit)
      return true
    },
  }
}
