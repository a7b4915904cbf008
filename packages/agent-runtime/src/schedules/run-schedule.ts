import type { Task } from '@homeward/contract/agent-platform'
import { usedKey } from '../store/repeatable-id.ts'
import type { NewTask, StoredTask, TaskStore } from '../store/ports/task-store.ts'
import { toCreatedEvent } from '../tasks/task-events.ts'
import { toTask } from '../tasks/to-task.ts'
import { findSet } from './own-schedules.ts'
import type { ScheduleDefinitions } from './schedule-definitions.ts'

/** What {@link createRunSchedule} is built from. */
interface RunScheduleOptions {
  readonly store: Pick<TaskStore, 'insertTask'>
  readonly definitions: ScheduleDefinitions
  /** Tells the workers. */
  readonly announce: (task: StoredTask | undefined) => Promise<void>
  readonly now: () => number
  readonly createId: () => string
}

const attempt = 'Running a schedule'

/** Makes the task of a schedule at a time of the caller. It waits for no other task, and no time waits for it. */
export function createRunSchedule({ store, definitions, announce, now, createId }: RunScheduleOptions) {
  return async function run(
    id: string,
    { idempotency_key: key }: { readonly idempotency_key?: string | undefined } = {},
    signal?: AbortSignal,
  ): Promise<{ readonly task: Task; readonly created: boolean }> {
    const { runs, input, reportTo } = (await findSet(definitions, id, attempt, signal)).definition
    const at = new Date(now()).toISOString()
    const task: NewTask = {
      id: createId(),
      subject: runs,
      input,
      priority: 0,
      maxAttempts: 3,
      ...(reportTo && { reportTo }),
      ...(key !== undefined && { idempotencyKey: key }),
      scheduleId: id,
      createdAt: at,
      runAt: at,
    }
    const { task: kept, created } = await store.insertTask(task, [toCreatedEvent(task)], signal)
    if (!created && (kept.scheduleId !== id || kept.scheduled)) throw usedKey(`${attempt} failed`, 'task')
    await announce(created ? kept : undefined)
    return { task: toTask(kept), created }
  }
}
