import type { Kysely } from 'kysely'
import type { NewJournalEvent } from '../ports/journal.ts'
import type { ModelMessage } from '../ports/message.ts'
import type { Page, PageRequest } from '../ports/page.ts'
import type {
  NewRun,
  RunEventBatch,
  RunFilter,
  RunFinish,
  RunStepWrite,
  StoredRun,
} from '../ports/run-store.ts'
import { timePositionOf, toPage } from '../paging/cursor.ts'
import type { ApprovalPlans } from './approval-plans.ts'
import type { ConversationPlans } from './conversation-plans.ts'
import type { JournalPlans } from './journal-plans.ts'
import { fromJson } from './json.ts'
import type { Plan } from './plan.ts'
import { all, change, first } from './plan.ts'
import { rememberStatements } from './remember-statements.ts'
import { newProgress, toRun, toStepRow } from './run-row.ts'
import type { RunListShape } from './run-statements.ts'
import { compileRunList, createRunReads, createRunWrites, createStepStatements } from './run-statements.ts'
import type { RuntimeTables } from './schema.ts'

/** Plans that those on runs are made of. */
export type RunParts = JournalPlans & Pick<ConversationPlans, 'appendMessages'> & ApprovalPlans

/**
 * The verbs of `RunStore` as plans, without those on approvals. A step costs one statement, and one more for its
 * events of the journal; when the run waits, one more and one for each approval.
 */
export function createRunPlans(db: Kysely<RuntimeTables>, parts: RunParts) {
  return { ...createWritePlans(db, parts), ...createReadPlans(db) }
}

function createWritePlans(db: Kysely<RuntimeTables>, parts: RunParts) {
  const statements = {
    ...createRunWrites(db),
    ...createStepStatements(db),
    findByKey: createRunReads(db).findByKey,
  }
  return {
    *insertRun(
      run: NewRun,
      journal: readonly NewJournalEvent[],
    ): Plan<{ readonly run: StoredRun; readonly created: boolean }> {
      const key = run.idempotencyKey ?? null
      const inserted = yield* change(statements.insert, {
        id: run.id,
        agent_id: run.agentId,
        conversation_id: run.conversationId,
        idempotency_key: key,
        created_at: run.createdAt,
        run: JSON.stringify(run),
      })
      if (inserted === 0 && key !== null) {
        const known = yield* first(statements.findByKey, { key })
        if (known !== undefined) return { run: toRun(known), created: false }
      }
      yield* parts.addEvents(journal)
      return { run: { ...run, status: 'running', progress: newProgress }, created: true }
    },

    *saveRunStep(step: RunStepWrite): Plan<boolean> {
      if ((yield* change(statements.insertStep, toStepRow(step))) === 0) return false
      if (step.waitFor !== undefined) {
        const { approvals, result } = step.waitFor
        yield* all(statements.wait, { id: step.runId, result: JSON.stringify(result) })
        yield* parts.insertApprovals(approvals)
      }
      yield* parts.addEvents(step.journal)
      return true
    },

    *finishRun(finish: RunFinish): Plan<boolean> {
      const { runId: id, status, finishedAt } = finish
      const progress = JSON.stringify(finish.progress)
      const result = JSON.stringify(finish.result)
      const finished = yield* change(statements.finish, { id, status, finishedAt, progress, result })
      if (finished === 0) return false
      yield* change(statements.insertLastStep, toStepRow(finish))
      yield* parts.closeApprovals(id, finishedAt)
      if (finish.conversation !== undefined) yield* parts.appendMessages(finish.conversation)
      yield* parts.addEvents(finish.journal)
      return true
    },

    *resumeRun(id: string): Plan<boolean> {
      return (yield* first(statements.resume, { id })) !== undefined
    },
  }
}

function createReadPlans(db: Kysely<RuntimeTables>) {
  const statements = createRunReads(db)
  const listOf = rememberStatements((shape: RunListShape) => compileRunList(db, shape))
  return {
    *findRun(id: string): Plan<StoredRun | undefined> {
      const row = yield* first(statements.find, { id })
      return row === undefined ? undefined : toRun(row)
    },

    *listRuns(filter: RunFilter, page: PageRequest): Plan<Page<StoredRun>> {
      const { agentId = '', conversationId = '', status } = filter
      const after = timePositionOf(page)
      const [afterTime, afterId] = after ?? ['', '']
      const shape = {
        byAgent: filter.agentId !== undefined,
        byConversation: filter.conversationId !== undefined,
        status,
        after: after !== undefined,
      }
      const args = { agentId, conversationId, afterTime, afterId, limit: page.limit + 1 }
      const rows = yield* all(listOf(shape), args)
      return toPage(rows, page.limit, toRun, ({ createdAt, id }) => [createdAt, id])
    },

    *listRunMessages(id: string): Plan<ModelMessage[]> {
      const rows = yield* all(statements.listMessages, { id })
      return rows.flatMap(({ messages }) => fromJson<ModelMessage[]>(messages))
    },

    *listRunEvents(id: string, since: number): Plan<RunEventBatch[]> {
      const rows = yield* all(statements.listEvents, { id, since })
      return rows.map(({ firstSeq, events }) => ({
        firstSeq,
        events: fromJson<RunEventBatch['events']>(events),
      }))
    },
  }
}
