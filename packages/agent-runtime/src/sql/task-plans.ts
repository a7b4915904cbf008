import type { Kysely } from 'kysely'
import type { NewJournalEvent } from '../ports/journal.ts'
import type { Lease } from '../ports/lease.ts'
import type {
  NewTask,
  StoredTask,
  TaskCancellation,
  TaskOutcome,
  TaskSettlement,
  ToTaskEvent,
} from '../ports/task-store.ts'
import { createClaimPlans } from './claim-plans.ts'
import type { JournalPlans } from './journal-plans.ts'
import { createLaneStatements } from './lane-statements.ts'
import type { Plan } from './plan.ts'
import { all, change, each, first, tell } from './plan.ts'
import type { RuntimeTables } from './schema.ts'
import { toCancelled, toReclaimed, toRetried, toSettled } from './task-changes.ts'
import { eventsOf } from './task-events.ts'
import type { TaskRow } from './task-row.ts'
import {
  isSerial,
  toNewStoredTask,
  toRunningTask,
  toStoredTask,
  toSubjectKey,
  toTaskChange,
} from './task-row.ts'
import { createTaskReadPlans } from './task-read-plans.ts'
import { createTaskReads, createTaskWrites } from './task-statements.ts'

/** The verbs of `TaskStore` as plans. */
export function createTaskPlans(db: Kysely<RuntimeTables>, journal: JournalPlans) {
  return {
    ...createInsertPlans(db, journal),
    ...createClaimPlans(db, journal),
    ...createEndPlans(db, journal),
    ...createTaskReadPlans(db),
  }
}

/** See {@link createTaskPlans}. */
export type TaskPlans = ReturnType<typeof createTaskPlans>

const taskChanged = { topic: 'task' } as const

/** Keeps tasks of a serial key from running beside each other. */
function createSerialPlans(db: Kysely<RuntimeTables>) {
  const statements = { ...createTaskWrites(db), ...createTaskReads(db), ...createLaneStatements(db) }
  return {
    /** Whether another task of its serial key is before it. */
    *isHeldUp({ serialKey: key }: Pick<NewTask, 'serialKey'>): Plan<boolean> {
      return key !== undefined && (yield* first(statements.findSerial, { key })) !== undefined
    },

    /** Lets the next one go, once the one before has ended. */
    *freeNext({ serialKey: key }: Pick<NewTask, 'serialKey'>, now: string): Plan<void> {
      if (key === undefined || (yield* first(statements.findSerial, { key })) !== undefined) return
      const next = yield* first(statements.findHeld, { key })
      if (next === undefined) return
      const ready = next.run_at <= now ? 1 : 0
      yield* change(statements.free, { seq: next.seq, ready })
      if (ready === 1) yield* change(statements.wake, { lane: next.lane })
    },
  }
}

function createInsertPlans(db: Kysely<RuntimeTables>, { addEvents }: JournalPlans) {
  const statements = { ...createTaskWrites(db), ...createTaskReads(db), ...createLaneStatements(db) }
  const { isHeldUp } = createSerialPlans(db)

  function* insertTask(
    task: NewTask,
    events: readonly NewJournalEvent[],
  ): Plan<{ readonly task: StoredTask; readonly created: boolean }> {
    const subject = toSubjectKey(task.subject)
    const ready = (yield* isHeldUp(task)) ? 2 : task.runAt <= task.createdAt ? 1 : 0
    yield* change(statements.touch, { subject, ready: ready === 1 ? 1 : 0 })
    const key = task.idempotencyKey ?? null
    const inserted = yield* change(statements.insert, {
      id: task.id,
      subject,
      idempotency_key: key,
      serial_key: task.serialKey ?? null,
      ready,
      serial: isSerial(task) ? 1 : 0,
      scheduled: task.scheduled === undefined ? 0 : 1,
      priority: task.priority,
      run_at: task.runAt,
      updated_at: task.createdAt,
      task: JSON.stringify(task),
    })
    if (inserted === 0 && key !== null) {
      const known = yield* first(statements.findByKey, { key })
      if (known !== undefined) return { task: toStoredTask(known), created: false }
    }
    yield* addEvents(events)
    yield* tell(taskChanged)
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
  const statements = { ...createTaskWrites(db), ...createLaneStatements(db) }
  const { isHeldUp, freeNext } = createSerialPlans(db)
  return function* write(
    row: TaskRow,
    task: StoredTask,
    now: string,
    toEvent?: ToTaskEvent,
  ): Plan<StoredTask> {
    const changed = toTaskChange(task, now)
    const isBack = row.finished_at !== null && task.status === 'queued'
    const ready = isBack && (yield* isHeldUp(task)) ? 2 : changed.ready
    yield* change(statements.change, { seq: row.seq, ...changed, ready })
    if (ready === 1) yield* change(statements.wake, { lane: row.lane })
    if (task.finishedAt !== undefined) yield* freeNext(task, now)
    yield* addEvents(eventsOf([task], toEvent))
    yield* tell(taskChanged)
    return task
  }
}

function createEndPlans(db: Kysely<RuntimeTables>, journal: JournalPlans) {
  const statements = { ...createTaskWrites(db), ...createTaskReads(db) }
  const { addEvents } = journal
  const { freeNext } = createSerialPlans(db)
  const write = createWrite(db, journal)

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
    yield* tell(taskChanged)
    return task
  }

  return {
    *settleTask(settlement: TaskSettlement): Plan<StoredTask | undefined> {
      const { id, owner, outcome, now, toEvent } = settlement
      if (owner !== undefined && (outcome.kind === 'completed' || outcome.kind === 'failed')) {
        return yield* finish(id, owner, outcome, settlement)
      }
      const row = yield* first(statements.find, { id })
      if (row?.status !== 'running') return undefined
      if (owner === undefined ? row.parked === 0 : row.lease_owner !== owner) return undefined
      return yield* write(row, toSettled(toStoredTask(row), outcome, now), now, toEvent)
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
        tasks.push(yield* write(row, toReclaimed(toStoredTask(row), now), now, toEvent))
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
      return yield* write(row, toRetried(toStoredTask(row), now), now, toEvent)
    },
  }
}
