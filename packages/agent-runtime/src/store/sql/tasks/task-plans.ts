import type { Kysely } from 'kysely'
import { buildOnce, all, change, each, first, emit, rememberStatements } from '@homeward/kit/sql'
import type { NewJournalEvent } from '../../ports/journal.ts'
import type { WithContents } from '../../ports/file-store.ts'
import type { Lease } from '../../ports/lease.ts'
import type {
  NewTask,
  StoredTask,
  TaskCancellation,
  TaskOutcome,
  TaskSettlement,
  ToTaskEvent,
  TaskFilter,
} from '../../ports/task-store.ts'
import { createAddReports } from '../channels/report-plans.ts'
import { createClaimPlans } from './claim-plans.ts'
import type { FilePlans } from '../files/file-plans.ts'
import type { JournalPlans } from '../journal/journal-plans.ts'
import { createLaneStatements } from './lane-statements.ts'
import { createStopRun } from '../runs/lease-plans.ts'
import type { Plan } from '../plan.ts'
import type { RuntimeTables } from '../schema.ts'
import { createSerialStatements } from './serial-statements.ts'
import { isGivenUp, toCancelled, toReclaimed, toRetried, toSettled } from './task-changes.ts'
import { eventsOf } from './task-events.ts'
import {
  type TaskRow,
  toNewStoredTask,
  toNewTaskRow,
  toRunningTask,
  toStoredTask,
  toTaskChange,
  toSubjectKey,
} from './task-row.ts'
import { createTaskReads, createTaskWrites, type TaskListShape, compileTaskList } from './task-statements.ts'
import { toList } from '../id-list.ts'
import { fromJson } from '../json.ts'
import { numberPositionOf, toPage } from '../../cursor.ts'
import type { Page, PageRequest } from '../../ports/page.ts'

type Parts = JournalPlans & Pick<FilePlans, 'saveFiles'>

/** The verbs of `TaskStore` as plans. */
export function createTaskPlans(db: Kysely<RuntimeTables>, parts: Parts) {
  return {
    ...createInsertPlans(db, parts),
    ...createClaimPlans(db, parts),
    ...createEndPlans(db, parts),
    ...createTaskReadPlans(db),
    ...createTaskInputPlans(db),
  }
}

/** See {@link createTaskPlans}. */
export type TaskPlans = ReturnType<typeof createTaskPlans>

const taskChanged = { topic: 'task' } as const

/** Lets the next task of a serial key go, once the one before has ended. */
function createFreeNext(db: Kysely<RuntimeTables>) {
  const { freeNext, wake } = {
    ...buildOnce(db, createSerialStatements),
    ...buildOnce(db, createLaneStatements),
  }
  return function* ({ serialKey: key }: Pick<NewTask, 'serialKey'>, now: string): Plan<void> {
    if (key === undefined) return
    const next = yield* first(freeNext, { key, now })
    if (next?.ready === 1) yield* change(wake, { lane: next.lane })
  }
}

function createInsertPlans(db: Kysely<RuntimeTables>, { addEvents, saveFiles }: Parts) {
  const statements = {
    ...buildOnce(db, createTaskWrites),
    ...buildOnce(db, createTaskReads),
    ...buildOnce(db, createLaneStatements),
  }
  const addReports = createAddReports(db)

  function* insertTask(
    { contents, ...task }: WithContents<NewTask>,
    events: readonly NewJournalEvent[],
  ): Plan<{ readonly task: StoredTask; readonly created: boolean }> {
    const row = toNewTaskRow(task)
    // A lane that is woken for a task that is held up goes back to sleep with the next claim.
    yield* change(statements.touch, { subject: row.subject, ready: row.ready })
    while ((yield* change(statements.insert, row)) === 0) {
      const known = yield* first(statements.findByKey, { key: row.idempotency_key ?? '' })
      if (known !== undefined) return { task: toStoredTask(known), created: false }
      // It was old and has gone meanwhile, and its key is free.
    }
    if (task.files !== undefined) {
      const owner = { kind: 'task', id: task.id } as const
      yield* saveFiles({ owner, files: task.files, contents, now: task.createdAt })
    }
    yield* addReports(task, 0, task.createdAt)
    yield* addEvents(events)
    yield* emit(taskChanged)
    return { task: toNewStoredTask(task), created: true }
  }

  return {
    insertTask,
    /** The same, as part of another plan. */
    addTask: insertTask,

    *renewTasks(
      { owner, until }: Lease,
      ids: readonly string[],
    ): Plan<{ readonly held: readonly string[]; readonly cancelRequested: readonly string[] }> {
      if (ids.length === 0) return { held: [], cancelRequested: [] }
      const rows = yield* each(
        statements.renew,
        ids.map((id) => ({ id, owner, until })),
      )
      const cancelRequested = rows.filter(({ cancel }) => cancel === 1).map(({ id }) => id)
      return { held: rows.map(({ id }) => id), cancelRequested }
    },

    *setTaskRun(id: string, owner: string, runId: string): Plan<boolean> {
      return (yield* change(statements.setRun, { id, owner, runId })) > 0
    },
  }
}

/** Writes a changed task, and what the journal shall say about it. */
function createWrite(db: Kysely<RuntimeTables>, { addEvents }: JournalPlans) {
  const statements = { ...buildOnce(db, createTaskWrites), ...buildOnce(db, createLaneStatements) }
  const freeNext = createFreeNext(db)
  return function* write(
    row: TaskRow,
    task: StoredTask,
    now: string,
    toEvent?: ToTaskEvent,
  ): Plan<StoredTask> {
    const changed = toTaskChange(task, now)
    // One that begins anew waits behind the others of its serial key; without any it is the next at once.
    const isHeldUp = row.finished_at !== null && task.serialKey !== undefined
    const ready = isHeldUp ? 2 : changed.ready
    yield* change(statements.change, { seq: row.seq, ...changed, ready })
    if (ready === 1) yield* change(statements.wake, { lane: row.lane })
    if (isHeldUp || task.finishedAt !== undefined) yield* freeNext(task, now)
    yield* addEvents(eventsOf([task], toEvent))
    yield* emit(taskChanged)
    return task
  }
}

function createEndPlans(db: Kysely<RuntimeTables>, journal: JournalPlans) {
  const statements = { ...buildOnce(db, createTaskWrites), ...buildOnce(db, createTaskReads) }
  const { addEvents } = journal
  const freeNext = createFreeNext(db)
  const write = createWrite(db, journal)
  const stopRun = createStopRun(db)
  const addReports = createAddReports(db)

  /** What most attempts end with costs one statement, and one for the journal. */
  function* finish(
    id: string,
    owner: string,
    outcome: Extract<TaskOutcome, { kind: 'completed' | 'failed' }>,
    { now, toEvent }: TaskSettlement,
  ): Plan<StoredTask | undefined> {
    const result = outcome.result === undefined ? null : JSON.stringify(outcome.result)
    const failure = outcome.kind === 'failed' ? JSON.stringify(outcome.failure) : null
    const row = yield* first(statements.finish, { id, owner, status: outcome.kind, now, result, failure })
    if (row === undefined) return undefined
    const task = toSettled(toRunningTask(row), outcome, now)
    yield* freeNext(task, now)
    yield* addEvents(eventsOf([task], toEvent))
    yield* emit(taskChanged)
    return task
  }

  return {
    *settleTask(settlement: TaskSettlement): Plan<StoredTask | undefined> {
      const { id, owner, outcome, now, toEvent } = settlement
      const stopsRun = outcome.kind === 'failed' && outcome.stopsRun === true
      if (owner !== undefined && !stopsRun && (outcome.kind === 'completed' || outcome.kind === 'failed')) {
        return yield* finish(id, owner, outcome, settlement)
      }
      const row = yield* first(statements.find, { id })
      if (row?.status !== 'running') return undefined
      if (owner === undefined ? row.parked === 0 : row.lease_owner !== owner) return undefined
      const task = toStoredTask(row)
      const run = stopsRun && task.runId !== undefined ? yield* stopRun(task.runId) : 'unknown'
      return yield* write(row, toSettled(task, outcome, now, run), now, toEvent)
    },

    *reclaimTasks({
      now,
      limit,
      toEvent,
    }: {
      readonly now: string
      readonly limit: number
      readonly toEvent?: ToTaskEvent
    }): Plan<StoredTask[]> {
      const tasks: StoredTask[] = []
      for (const row of yield* all(statements.listOverdue, { now, limit })) {
        const task = toStoredTask(row)
        const run = isGivenUp(task) && task.runId !== undefined ? yield* stopRun(task.runId) : 'unknown'
        tasks.push(yield* write(row, toReclaimed(task, now, run), now, toEvent))
      }
      return tasks
    },

    *cancelTask(id: string, now: string, toEvent?: ToTaskEvent): Plan<TaskCancellation> {
      const row = yield* first(statements.find, { id })
      if (row === undefined) return { outcome: 'unknown' }
      const task = toStoredTask(row)
      if (row.finished_at !== null) return { outcome: 'ended', task }
      if (row.status === 'running' && row.parked === 0) {
        const requested = yield* write(row, { ...task, cancelRequested: true, updatedAt: now }, now)
        return { outcome: 'requested', task: requested }
      }
      return { outcome: 'cancelled', task: yield* write(row, toCancelled(task, now), now, toEvent) }
    },

    *retryTask(id: string, now: string, toEvent?: ToTaskEvent): Plan<StoredTask | undefined> {
      const row = yield* first(statements.find, { id })
      if (row?.status !== 'failed') return undefined
      const task = toRetried(toStoredTask(row), now)
      yield* addReports(task, task.runCount, now)
      return yield* write(row, task, now, toEvent)
    },
  }
}

/** Changes of what a task asks for, as parts of other plans. */
function createTaskInputPlans(db: Kysely<RuntimeTables>) {
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

type ScheduledTask = Pick<NewTask, 'subject' | 'scheduleId'>

/** The verbs of `TaskStore` that read, as plans. */
function createTaskReadPlans(db: Kysely<RuntimeTables>) {
  const statements = buildOnce(db, createTaskReads)
  const listOf = rememberStatements((shape: TaskListShape) => compileTaskList(db, shape))
  return {
    *findTask(id: string): Plan<StoredTask | undefined> {
      const row = yield* first(statements.find, { id })
      return row === undefined ? undefined : toStoredTask(row)
    },

    *listTasks(
      { agentId, graphId, userId, within, status, scheduleId = '' }: TaskFilter,
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
        byUser: userId !== undefined,
        within: within !== undefined,
        status,
      }
      const subjects = toList([
        ...(within?.agentIds ?? []).map((id) => toSubjectKey({ kind: 'agent', id })),
        ...(within?.graphIds ?? []).map((id) => toSubjectKey({ kind: 'graph', id })),
      ])
      const args = { subject, scheduleId, userId: userId ?? '', subjects, before, limit: page.limit + 1 }
      const rows = yield* all(listOf(shape), args)
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
