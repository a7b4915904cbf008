import type { Kysely } from 'kysely'
import { createAgentPlans } from './agent-plans.ts'
import { createApprovalPlans } from './approval-plans.ts'
import { createConversationPlans } from './conversation-plans.ts'
import { createJournalPlans } from './journal-plans.ts'
import { createPrunePlans } from './prune-plans.ts'
import { createRunPlans } from './run-plans.ts'
import type { RuntimeTables } from './schema.ts'

/**
 * Every verb of `RuntimeStore` but those on memories as a plan, for an SQL adapter to run. All SQL is built here, once,
 * by the dialect of `db`, which is never asked to run anything.
 */
export function createRuntimePlans(db: Kysely<RuntimeTables>) {
  const journal = createJournalPlans(db)
  const conversations = createConversationPlans(db)
  const approvals = createApprovalPlans(db, journal)
  return {
    ...createAgentPlans(db),
    ...conversations,
    ...approvals,
    ...createRunPlans(db, { ...journal, ...conversations, ...approvals }),
    ...journal,
    ...createPrunePlans(db),
  }
}
