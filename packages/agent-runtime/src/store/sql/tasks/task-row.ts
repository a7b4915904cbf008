import type { TaskFailure } from '@homeward/contract/agent-platform'
import type { Selectable } from 'kysely'
import type { NewTask, StoredTask, TaskSubject } from '../../ports/task-store.ts'
import { fromJson } from '../json.ts'
import { isReady } from './task-changes.ts'
import type { TasksTable } from './task-tables.ts'

/** A task as it is read. */
export type TaskRow = Selectable<TasksTable>

/** A task that is put into the queue; its lane is found by its subject. */
export type NewTaskRow = Pick<
  TaskRow,
  | 'id'
  | 'idempotency_key'
  | 'serial_key'
  | 'ready'
  | 'serial'
  | 'scheduled'
  | 'schedule_id'
  | 'priority'
  | 'user_id'
  | 'run_at'
  | 'updated_at'
  | 'task'
> & { subject: string }

/** What is read of a task that has just ended: the rest is known. */
export type EndedTaskRow = Pick<
  TaskRow,
  'task' | 'run_at' | 'attempt' | 'run_count' | 'run_id' | 'cancel_requested' | 'started_at'
>

/** What may change of a task. */
export type TaskChange = Pick<
  TaskRow,
  | 'status'
  | 'ready'
  | 'run_at'
  | 'attempt'
  | 'run_count'
  | 'run_id'
  | 'cancel_requested'
  | 'parked'
  | 'lease_owner'
  | 'lease_until'
  | 'updated_at'
  | 'started_at'
  | 'finished_at'
  | 'result'
  | 'failure'
>

/** Kind and id in one text, which no other subject has. */
export function toSubjectKey({ kind, id }: TaskSubject): string {
  return `${kind}:${id}`
}

/** Whether it must not run beside another scheduled one of its subject. */
function isSerial({ scheduled }: Pick<NewTask, 'scheduled'>): boolean {
  return scheduled?.overlap === 'queue'
}

/** A task that has just been put into the queue. */
export function toNewStoredTask(task: NewTask): StoredTask {
  return {
    ...task,
    status: 'queued',
    attempt: 0,
    runCount: 0,
    cancelRequested: false,
    parked: false,
    updatedAt: task.createdAt,
  }
}

/** The row of a task that is put into the queue. */
export function toNewTaskRow(task: NewTask): NewTaskRow {
  return {
    id: task.id,
    subject: toSubjectKey(task.subject),
    idempotency_key: task.idempotencyKey ?? null,
    serial_key: task.serialKey ?? null,
    ready: task.runAt <= task.createdAt ? 1 : 0,
    serial: isSerial(task) ? 1 : 0,
    scheduled: task.scheduled === undefined ? 0 : 1,
    schedule_id: task.scheduleId ?? null,
    priority: task.priority,
    user_id: task.userId ?? null,
    run_at: task.runAt,
    updated_at: task.createdAt,
    task: JSON.stringify(task),
  }
}

/** A task from its row. */
export function toStoredTask(row: TaskRow): StoredTask {
  const { lease_owner: owner, lease_until: until } = row
  return {
    ...fromJson<NewTask>(row.task),
    runAt: row.run_at,
    status: row.status,
    attempt: row.attempt,
    runCount: row.run_count,
    ...(row.run_id !== null && { runId: row.run_id }),
    cancelRequested: row.cancel_requested === 1,
    parked: row.parked === 1,
    ...(owner !== null && until !== null && { lease: { owner, until } }),
    updatedAt: row.updated_at,
    ...(row.started_at !== null && { startedAt: row.started_at }),
    ...(row.finished_at !== null && { finishedAt: row.finished_at }),
    ...(row.result !== null && { result: fromJson<NonNullable<StoredTask['result']>>(row.result) }),
    ...(row.failure !== null && { failure: fromJson<TaskFailure>(row.failure) }),
  }
}

/** A task as it was until it ended. */
export function toRunningTask(row: EndedTaskRow): StoredTask {
  return {
    ...fromJson<NewTask>(row.task),
    runAt: row.run_at,
    status: 'running',
    attempt: row.attempt,
    runCount: row.run_count,
    ...(row.run_id !== null && { runId: row.run_id }),
    cancelRequested: row.cancel_requested === 1,
    parked: false,
    updatedAt: row.run_at,
    ...(row.started_at !== null && { startedAt: row.started_at }),
  }
}

/** What changed of a task, for its row. */
export function toTaskChange(task: StoredTask, now: string): TaskChange {
  return {
    status: task.status,
    ready: isReady(task, now) ? 1 : 0,
    run_at: task.runAt,
    attempt: task.attempt,
    run_count: task.runCount,
    run_id: task.runId ?? null,
    cancel_requested: task.cancelRequested ? 1 : 0,
    parked: task.parked ? 1 : 0,
    lease_owner: task.lease?.owner ?? null,
    lease_until: task.lease?.until ?? null,
    updated_at: task.updatedAt,
    started_at: task.startedAt ?? null,
    finished_at: task.finishedAt ?? null,
    result: task.result === undefined ? null : JSON.stringify(task.result),
    failure: task.failure === undefined ? null : JSON.stringify(task.failure),
  }
}
