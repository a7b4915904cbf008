import type { Kysely } from 'kysely'
import { buildOnce, change, first } from '@homeward/kit/sql'
import type { NewTask } from '../../ports/task-store.ts'
import { fromJson } from '../json.ts'
import type { Plan } from '../plan.ts'
import type { RuntimeTables } from '../schema.ts'
import { createTaskReads, createTaskWrites } from './task-statements.ts'

/** Changes of what a task asks for, as parts of other plans. */
export function createTaskInputPlans(db: Kysely<RuntimeTables>) {
  const statements = { ...buildOnce(db, createTaskWrites), ...buildOnce(db, createTaskReads) }
  return {
    /** @returns false, and nothing has changed, unless the owner has it and no run has begun. */
    *changeTaskInput(id: string, owner: string, input: Pick<NewTask, 'input' | 'files'>): Plan<boolean> {
      const row = yield* first(statements.find, { id })
      if (row === undefined || row.lease_owner !== owner || row.run_id !== null) return false
      const task = { ...fromJson<NewTask>(row.task), ...input }
      yield* change(statements.setTask, { id, task: JSON.stringify(task) })
      return true
    },
  }
}
