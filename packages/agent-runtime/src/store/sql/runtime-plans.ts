import type { Agent, Graph } from '@homeward/contract/agent-platform'
import type { Kysely } from 'kysely'
import { createApprovalPlans } from './runs/approval-plans.ts'
import { createBudgetPlans } from './usage/budget-plans.ts'
import { createChannelPlans } from './channels/channel-plans.ts'
import { createConversationPlans } from './conversations/conversation-plans.ts'
import { createDefinitionPlans } from './definition-plans.ts'
import { createFilePlans } from './files/file-plans.ts'
import { createEffectPlans } from './runs/effect-plans.ts'
import { createJournalPlans } from './journal/journal-plans.ts'
import { createLeasePlans } from './runs/lease-plans.ts'
import { createMessageRows } from './conversations/message-rows.ts'
import { createPrunePlans } from './journal/prune-plans.ts'
import { createRunPlans } from './runs/run-plans.ts'
import { createSchedulePlans } from './schedules/schedule-plans.ts'
import type { RuntimeTables } from './schema.ts'
import { createStepNumbers } from './runs/step-numbers.ts'
import { createTaskPlans } from './tasks/task-plans.ts'

/**
 * Every verb of `RuntimeStore` but those on memories as a plan, for an SQL adapter to run. All SQL is built here, once,
 * by the dialect of `db`, which is never asked to run anything.
 */
export function createRuntimePlans(
  db: Kysely<RuntimeTables>,
  journal = createJournalPlans(db),
  messages = createMessageRows(db),
) {
  const agents = createDefinitionPlans<Agent>(db, { table: 'agents', column: 'agent' })
  const graphs = createDefinitionPlans<Graph>(db, { table: 'graphs', column: 'graph' })
  const files = createFilePlans(db)
  const conversations = createConversationPlans(db, messages, files)
  const approvals = createApprovalPlans(db, journal)
  const effects = createEffectPlans(db)
  const numbers = createStepNumbers()
  const tasks = createTaskPlans(db, { ...journal, ...files })
  const budgets = createBudgetPlans(db)
  const channels = createChannelPlans(db, { ...journal, ...files, ...tasks })
  return {
    insertAgent: agents.insert,
    replaceAgent: agents.replace,
    deleteAgent: agents.remove,
    findAgent: agents.find,
    listAgents: agents.list,
    insertGraph: graphs.insert,
    replaceGraph: graphs.replace,
    deleteGraph: graphs.remove,
    findGraph: graphs.find,
    listGraphs: graphs.list,
    ...files,
    ...conversations,
    ...approvals,
    ...effects,
    ...createRunPlans(db, { ...journal, ...files, ...conversations, ...approvals, ...effects, numbers }),
    ...createLeasePlans(db, numbers),
    ...budgets,
    ...journal,
    ...tasks,
    ...createSchedulePlans(db, { ...journal, ...tasks }),
    ...channels,
    ...createPrunePlans(db, { ...journal, ...files, ...channels, ...budgets }),
  }
}
