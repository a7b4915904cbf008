import type { Graph } from '@homeward/contract/agent-platform'
import type { Kysely } from 'kysely'
import { createAgentPlans } from './agent-plans.ts'
import { planDeliveries, planWebhooks } from '@homeward/kit/sql'
import { createAudited, createAuditPlans } from './access/audit-plans.ts'
import { createTokenPlans } from './access/token-plans.ts'
import { createWaitPlans } from './runs/wait-plans.ts'
import { createBacklogPlans } from './usage/backlog-plans.ts'
import { createBudgetPlans } from './usage/budget-plans.ts'
import { createChannelPlans } from './channels/channel-plans.ts'
import type { MemoryMoves } from './channels/link-plans.ts'
import { createConversationPlans } from './conversations/conversation-plans.ts'
import { type ChunkPlans, createDocumentPlans } from './documents/document-plans.ts'
import { createDefinitionPlans } from './definition-plans.ts'
import { createFilePlans } from './files/file-plans.ts'
import { createEffectPlans } from './runs/effect-plans.ts'
import { createInputPlans } from './runs/input-plans.ts'
import { createJournalPlans } from './journal/journal-plans.ts'
import { createWhatIfPlans } from './runs/what-if-plans.ts'
import { createFeedbackPlans } from './runs/feedback-plans.ts'
import { createLeasePlans } from './runs/lease-plans.ts'
import { createMessageRows } from './conversations/message-rows.ts'
import { createPrunePlans } from './journal/prune-plans.ts'
import { createResponsePlans } from './runs/response-plans.ts'
import type { RunWords } from './runs/run-row.ts'
import { createRunPlans } from './runs/run-plans.ts'
import { createOwnSchedulePlans } from './schedules/own-schedule-plans.ts'
import { createSchedulePlans } from './schedules/schedule-plans.ts'
import type { RuntimeTables } from './schema.ts'
import { createStepNumbers } from './runs/run-plans.ts'
import { createSignalPlans } from './runs/signal-plans.ts'
import { createTaskPlans } from './tasks/task-plans.ts'
import { createTriggerPlans } from './triggers/trigger-plans.ts'

/**
 * Every verb of `RuntimeStore` but those on memories as a plan, for an SQL adapter to run. All SQL is built here, once,
 * by the dialect of `db`, which is never asked to run anything.
 */
export function createRuntimePlans(
  db: Kysely<RuntimeTables>,
  words: RunWords & MemoryMoves & ChunkPlans,
  journal = createJournalPlans(db),
  messages = createMessageRows(db),
) {
  const audit = createAuditPlans(db)
  const audited = createAudited(audit)
  const tokens = createTokenPlans(db)
  const webhooks = planWebhooks(db)
  const agents = createAgentPlans(db, audited)
  const graphs = createDefinitionPlans<Graph>(db, { table: 'graphs', column: 'graph' })
  const files = createFilePlans(db)
  const conversations = createConversationPlans(db, messages, files)
  const signals = createSignalPlans(db)
  const waits = createWaitPlans(db, { ...journal, ...signals })
  const effects = createEffectPlans(db)
  const numbers = createStepNumbers()
  const tasks = createTaskPlans(db, { ...journal, ...files })
  const triggers = createTriggerPlans(db, { ...tasks, ...signals })
  const budgets = createBudgetPlans(db)
  const { withSchedulesOf, ...schedules } = createOwnSchedulePlans(db)
  const inputs = createInputPlans(db, tasks)
  const channels = createChannelPlans(db, {
    ...journal,
    ...files,
    ...tasks,
    ...conversations,
    ...waits,
    ...words,
    ...inputs,
  })
  return {
    ...agents,
    deleteAgent: audited(withSchedulesOf('agent', agents.deleteAgent)),
    insertGraph: audited(graphs.insert),
    replaceGraph: audited(graphs.replace),
    deleteGraph: audited(withSchedulesOf('graph', graphs.remove)),
    findGraph: graphs.find,
    listGraphs: graphs.list,
    ...files,
    ...conversations,
    ...waits,
    ...effects,
    ...createRunPlans(db, {
      ...journal,
      ...files,
      ...conversations,
      ...waits,
      ...inputs,
      ...effects,
      ...words,
      numbers,
    }),
    ...createLeasePlans(db, numbers),
    ...inputs,
    ...createFeedbackPlans(db),
    ...createWhatIfPlans(db),
    ...signals,
    ...createResponsePlans(db),
    ...budgets,
    ...journal,
    ...tasks,
    ...schedules,
    insertSchedule: audited(schedules.insertSchedule),
    replaceSchedule: audited(schedules.replaceSchedule),
    deleteSchedule: audited(schedules.deleteSchedule),
    ...createSchedulePlans(db, { ...journal, ...tasks }),
    ...channels,
    decideChannelSender: audited(channels.decideChannelSender),
    setChannelRoutes: audited(channels.setChannelRoutes),
    ...audit,
    ...tokens,
    insertToken: audited(tokens.insertToken),
    deleteToken: audited(tokens.deleteToken),
    ...webhooks,
    insertWebhook: audited(webhooks.insertWebhook),
    updateWebhook: audited(webhooks.updateWebhook),
    deleteWebhook: audited(webhooks.deleteWebhook),
    ...planDeliveries(db),
    ...triggers,
    insertTrigger: audited(triggers.insertTrigger),
    changeTrigger: audited(triggers.changeTrigger),
    deleteTrigger: audited(triggers.deleteTrigger),
    ...createDocumentPlans(db, words, audited),
    ...createBacklogPlans(db),
    ...createPrunePlans(db, { ...journal, ...files, ...words, ...channels, ...budgets, ...audit }),
  }
}
