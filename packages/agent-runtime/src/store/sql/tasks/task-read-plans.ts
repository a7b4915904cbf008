import type { Kysely } from 'kysely'
import { buildOnce, all, first } from '@homeward/kit/sql'
import { numberPositionOf, toPage } from '../../cursor.ts'
import type { Page, PageRequest } from '../../ports/page.ts'
import type { NewTask, StoredTask, TaskFilter } from '../../ports/task-store.ts'
import type { Plan } from '../plan.ts'
import { rememberStatements } from '../remember-statements.ts'
import type { RuntimeTables } from '../schema.ts'
import { toStoredTask, toSubjectKey } from './task-row.ts'
import type { TaskListShape } from './task-statements.ts'
import { compileTaskList, createTaskReads } from './task-statements.ts'

type ScheduledTask = Pick<NewTask, 'subject' | 'scheduleId'>

/** The verbs of `TaskStore` that read, as plans. */
export function createTaskReadPlans(db: Kysely<RuntimeTables>) {
  const statements = buildOnce(db, createTaskReads)
  const listOf = rememberStatements((shape: TaskListShape) => compileTaskList(db, shape))
  return {
    *findTask(id: string): Plan<StoredTask | undefined> {
      const row = yield* first(statements.find, { id })
      return row === undefined ? undefined : toStoredTask(row)
    },

    *listTasks(
      { agentId, graphId, status, scheduleId = '' }: TaskFilter,
      page: PageRequest,
    ): Plan<Page<StoredTask>> {
      const before = numberPositionOf(page) ?? Number.MAX_SAFE_INTEGER
      // No task is for both.
      if (agentId !== undefined && graphId !== undefined) return { rows: [] }
      const subject = toSubjectKey({
        kind: graphId === undefined ? 'agent' : 'graph',
        id: graphId ?? agentId ?? '',
      })
      const shape = {
        bySubject: (agentId ?? graphId) !== undefined,
        bySchedule: scheduleId !== '',
        status,
      }
      const rows = yield* all(listOf(shape), { subject, scheduleId, before, limit: page.limit + 1 })
      return toPage(rows, page.limit, toStoredTask, ({ seq }) => [seq])
    },

    *listSettleableTasks(limit: number): Plan<StoredTask[]> {
      return (yield* all(statements.listSettleable, { limit })).map(toStoredTask)
    },

    *nextTaskTime(): Plan<string | undefined> {
      const times = yield* first(statements.nextTimes, {})
      return [times?.due, times?.lease].filter((time) => typeof time === 'string').toSorted()[0]
    },

    /** Whether a task that a time of a schedule made for a subject has not ended yet. */
    *hasOpenScheduledTask({ subject, scheduleId = '' }: ScheduledTask): Plan<boolean> {
      const args = { subject: toSubjectKey(subject), scheduleId }
      return (yield* first(statements.openScheduled, args)) !== undefined
    },
  }
}
