import { numberPositionOf, toPage } from '../paging/cursor.ts'
import type { NewJournalEvent } from '../store/ports/journal.ts'
import type { Lease } from '../store/ports/lease.ts'
import type { Page, PageRequest } from '../store/ports/page.ts'
import type {
  NewTask,
  StoredTask,
  TaskCancellation,
  TaskFilter,
  TaskSettlement,
  TaskSubject,
  ToTaskEvent,
} from '../store/ports/task-store.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { isGivenUp, toCancelled, toReclaimed, toRetried, toSettled } from '../store/sql/tasks/task-changes.ts'
import { eventsOf } from '../store/sql/tasks/task-events.ts'
import { toNewStoredTask, toSubjectKey } from '../store/sql/tasks/task-row.ts'
import { appendEvents } from './journal-verbs.ts'
import { stopRun } from './lease-verbs.ts'
import type { Tables } from './tables.ts'
import { tell } from './tables.ts'
import type { TaskRecord } from './task-records.ts'
import { addRecord, changeRecord, removeRecord, toTask } from './task-records.ts'

export { claimTasks } from './claim-tasks.ts'

/** {@link TaskStore.insertTask}, in memory. */
export function insertTask(
  tables: Tables,
  task: NewTask,
  journal: readonly NewJournalEvent[],
): { readonly task: StoredTask; readonly created: boolean } {
  const known = findByKey(tables, task)
  if (known !== undefined) return { task: toTask(known), created: false }
  assertNewTask(tables, task)
  const record = addRecord(tables.tasks, toNewStoredTask(task))
  appendEvents(tables, journal)
  tell(tables, { topic: 'task' })
  return { task: toTask(record), created: true }
}

/** Throws before anything is changed when the id of a task is taken by another one. */
export function assertNewTask(tables: Tables, task: NewTask): void {
  if (!tables.tasks.byId.has(task.id) || findByKey(tables, task) !== undefined) return
  throw new RuntimeError('conflict', 'Adding a task failed: its id is in use already. Make a new one.')
}

const findByKey = (tables: Tables, { idempotencyKey }: NewTask) =>
  idempotencyKey === undefined ? undefined : tables.tasks.byKey.get(idempotencyKey)

/** {@link TaskStore.renewTasks}, in memory. */
export function renewTasks(
  tables: Tables,
  lease: Lease,
  ids: readonly string[],
): { readonly held: readonly string[]; readonly cancelRequested: readonly string[] } {
  const held: string[] = []
  const cancelRequested: string[] = []
  for (const id of ids) {
    const record = tables.tasks.byId.get(id)
    const task = record && toTask(record)
    if (record === undefined || task?.lease?.owner !== lease.owner) continue
    changeRecord(tables.tasks, record, { ...task, lease }, task.updatedAt)
    held.push(id)
    if (task.cancelRequested) cancelRequested.push(id)
  }
  return { held, cancelRequested }
}

/** {@link TaskStore.setTaskRun}, in memory. */
export function setTaskRun(tables: Tables, id: string, owner: string, runId: string): boolean {
  const record = tables.tasks.byId.get(id)
  const task = record && toTask(record)
  if (record === undefined || task?.lease?.owner !== owner) return false
  changeRecord(tables.tasks, record, { ...task, runId }, task.updatedAt)
  return true
}

/** {@link TaskStore.settleTask}, in memory. */
export function settleTask(tables: Tables, settlement: TaskSettlement): StoredTask | undefined {
  const { id, owner, outcome, now, toEvent } = settlement
  const record = tables.tasks.byId.get(id)
  if (record?.status !== 'running') return undefined
  const task = toTask(record)
  if (owner === undefined ? !task.parked : task.lease?.owner !== owner) return undefined
  const stopsRun = outcome.kind === 'failed' && outcome.stopsRun === true
  const run = stopsRun && task.runId !== undefined ? stopRun(tables, task.runId) : 'unknown'
  return write(tables, record, toSettled(task, outcome, now, run), now, toEvent)
}

/** {@link TaskStore.reclaimTasks}, in memory. */
export function reclaimTasks(
  tables: Tables,
  { now, limit, toEvent }: { readonly now: string; readonly limit: number; readonly toEvent?: ToTaskEvent },
): StoredTask[] {
  const overdue = [...tables.tasks.leased].filter(({ leaseUntil = '' }) => leaseUntil <= now)
  return overdue.slice(0, limit).map((record) => {
    const task = toTask(record)
    const run = isGivenUp(task) && task.runId !== undefined ? stopRun(tables, task.runId) : 'unknown'
    return write(tables, record, toReclaimed(task, now, run), now, toEvent)
  })
}

/** {@link TaskStore.cancelTask}, in memory. */
export function cancelTask(tables: Tables, id: string, now: string, toEvent?: ToTaskEvent): TaskCancellation {
  const record = tables.tasks.byId.get(id)
  if (record === undefined) return { outcome: 'unknown' }
  const task = toTask(record)
  if (task.finishedAt !== undefined) return { outcome: 'ended', task }
  if (task.status === 'running' && !task.parked) {
    const requested = { ...task, cancelRequested: true, updatedAt: now }
    return { outcome: 'requested', task: write(tables, record, requested, now) }
  }
  return { outcome: 'cancelled', task: write(tables, record, toCancelled(task, now), now, toEvent) }
}

/** {@link TaskStore.retryTask}, in memory. */
export function retryTask(
  tables: Tables,
  id: string,
  now: string,
  toEvent?: ToTaskEvent,
): StoredTask | undefined {
  const record = tables.tasks.byId.get(id)
  if (record?.status !== 'failed') return undefined
  return write(tables, record, toRetried(toTask(record), now), now, toEvent)
}

/** {@link TaskStore.findTask}, in memory. */
export function findTask(tables: Tables, id: string): StoredTask | undefined {
  const record = tables.tasks.byId.get(id)
  return record === undefined ? undefined : toTask(record)
}

/** {@link TaskStore.listTasks}, in memory. */
export function listTasks(tables: Tables, filter: TaskFilter, page: PageRequest): Page<StoredTask> {
  const before = numberPositionOf(page) ?? Number.MAX_SAFE_INTEGER
  const found: TaskRecord[] = []
  for (const record of tables.tasks.bySeq.rows.toReversed()) {
    if (found.length > page.limit) break
    if (record.seq < before && isMatch(record, filter)) found.push(record)
  }
  return toPage(found, page.limit, toTask, ({ seq }) => [seq])
}

/** {@link TaskStore.listSettleableTasks}, in memory. */
export function listSettleableTasks(tables: Tables, limit: number): StoredTask[] {
  const hasEnded = ({ runId = '' }: TaskRecord) => tables.runs.get(runId)?.finishedAt !== undefined
  return [...tables.tasks.parked].filter(hasEnded).slice(0, limit).map(toTask)
}

/** {@link TaskStore.nextTaskTime}, in memory. */
export function nextTaskTime({ tasks }: Tables): string | undefined {
  const leases = [...tasks.leased].flatMap(({ leaseUntil }) => (leaseUntil === undefined ? [] : [leaseUntil]))
  const [due] = tasks.waiting.rows
  return [...(due ? [due.runAt] : []), ...leases].toSorted()[0]
}

/** Whether a task that a schedule made for a subject has not ended yet. */
export function hasOpenScheduledTask(tables: Tables, subject: TaskSubject): boolean {
  return (tables.tasks.lanes.get(toSubjectKey(subject))?.openScheduled.size ?? 0) > 0
}

function write(
  tables: Tables,
  record: TaskRecord,
  task: StoredTask,
  now: string,
  toEvent?: ToTaskEvent,
): StoredTask {
  changeRecord(tables.tasks, record, task, now)
  appendEvents(tables, eventsOf([task], toEvent))
  tell(tables, { topic: 'task' })
  forgetOldest(tables)
  return toTask(record)
}

/** Forgets tasks that ended before a time. */
export function pruneTasks({ tasks }: Tables, before: string): void {
  for (const id of tasks.ended) {
    const record = tasks.byId.get(id)
    if (record === undefined || (toTask(record).finishedAt ?? before) >= before) return
    removeRecord(tasks, id)
  }
}

function forgetOldest({ tasks, bounds }: Tables): void {
  for (const id of tasks.ended) {
    if (tasks.ended.size <= bounds.finishedRuns) return
    removeRecord(tasks, id)
  }
}

function isMatch({ subject, status }: TaskRecord, filter: TaskFilter): boolean {
  const { agentId, graphId } = filter
  return (
    (agentId === undefined || subject === toSubjectKey({ kind: 'agent', id: agentId })) &&
    (graphId === undefined || subject === toSubjectKey({ kind: 'graph', id: graphId })) &&
    (filter.status === undefined || status === filter.status)
  )
}
