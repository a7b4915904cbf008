import type { TaskStatus } from '@homeward/contract/agent-platform'
import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { compileStatement } from '@homeward/kit/sql'
import { isInList } from '../id-list.ts'
import type { RuntimeTables } from '../schema.ts'
import { isOpenSerial } from './serial-statements.ts'
import type { EndedTaskRow, NewTaskRow, TaskChange, TaskRow } from './task-row.ts'

type FinishArgs = Pick<TaskRow, 'id' | 'status' | 'result' | 'failure'> & { owner: string; now: string }

/** A schedule, and what it runs. */
interface OpenScheduledArgs {
  readonly subject: string
  readonly scheduleId: string
}

/** What a list of tasks filters by. */
export interface TaskListShape extends Record<string, boolean | string | undefined> {
  readonly bySubject: boolean
  readonly bySchedule: boolean
  readonly byUser: boolean
  readonly within: boolean
  readonly status: TaskStatus | undefined
}

/** Statements that put tasks into the queue and change them. */
export function createTaskWrites(db: Kysely<RuntimeTables>) {
  return {
    /** `ready` holds when no other task of its serial key is before it. */
    insert: compileStatement<NewTaskRow, unknown>('write', (row) =>
      db
        .insertInto('tasks')
        .values({
          id: row.id,
          lane: laneOf(db, row.subject),
          idempotency_key: row.idempotency_key,
          serial_key: row.serial_key,
          status: 'queued',
          ready: sql<number>`case when exists (select 1 from tasks where ${isOpenSerial(row.serial_key)}) then 2 else ${row.ready} end`,
          serial: row.serial,
          scheduled: row.scheduled,
          schedule_id: row.schedule_id,
          priority: row.priority,
          turn: turnOf(db, row),
          user_id: row.user_id,
          run_at: row.run_at,
          attempt: 0,
          run_count: 0,
          cancel_requested: 0,
          parked: 0,
          updated_at: row.updated_at,
          task: row.task,
        })
        .onConflict((conflict) =>
          conflict.column('idempotency_key').where('idempotency_key', 'is not', null).doNothing(),
        ),
    ),
    change: compileStatement<TaskChange & { seq: number }, unknown>('write', (row) =>
      db
        .updateTable('tasks')
        .set({
          status: row.status,
          ready: row.ready,
          run_at: row.run_at,
          attempt: row.attempt,
          run_count: row.run_count,
          run_id: row.run_id,
          cancel_requested: row.cancel_requested,
          parked: row.parked,
          lease_owner: row.lease_owner,
          lease_until: row.lease_until,
          updated_at: row.updated_at,
          started_at: row.started_at,
          finished_at: row.finished_at,
          result: row.result,
          failure: row.failure,
        })
        .where('seq', '=', row.seq),
    ),
    /** The end of an attempt, in one go: the owner alone gets a row back. */
    finish: compileStatement<FinishArgs, EndedTaskRow>('write', (args) =>
      db
        .updateTable('tasks')
        .set({
          status: args.status,
          lease_owner: null,
          lease_until: null,
          updated_at: args.now,
          finished_at: args.now,
          result: args.result,
          failure: args.failure,
        })
        .where('id', '=', args.id)
        .where('lease_owner', '=', args.owner)
        .returning(['task', 'run_at', 'attempt', 'run_count', 'run_id', 'cancel_requested', 'started_at']),
    ),
    renew: compileStatement<{ id: string; owner: string; until: string }, { id: string; cancel: number }>(
      'write',
      ({ id, owner, until }) =>
        db
          .updateTable('tasks')
          .set({ lease_until: until })
          .where('id', '=', id)
          .where('lease_owner', '=', owner)
          .returning(['id', 'cancel_requested as cancel']),
    ),
    setRun: compileStatement<{ id: string; owner: string; runId: string }, unknown>(
      'write',
      ({ id, owner, runId }) =>
        db.updateTable('tasks').set({ run_id: runId }).where('id', '=', id).where('lease_owner', '=', owner),
    ),
    setTask: compileStatement<{ id: string; task: string }, unknown>('write', ({ id, task }) =>
      db.updateTable('tasks').set({ task }).where('id', '=', id),
    ),
  }
}

/** Statements that read tasks. */
export function createTaskReads(db: Kysely<RuntimeTables>) {
  return {
    find: compileStatement<{ id: string }, TaskRow>('read', ({ id }) =>
      db.selectFrom('tasks').selectAll().where('id', '=', id),
    ),
    findByKey: compileStatement<{ key: string }, TaskRow>('read', ({ key }) =>
      db.selectFrom('tasks').selectAll().where('idempotency_key', '=', key),
    ),
    listOverdue: compileStatement<{ now: string; limit: number }, TaskRow>('read', ({ now, limit }) =>
      db
        .selectFrom('tasks')
        .selectAll()
        .where('status', '=', sql.lit('running'))
        .where('parked', '=', sql.lit(0))
        .where('lease_until', '<=', now)
        .limit(limit),
    ),
    listSettleable: compileStatement<{ limit: number }, TaskRow>('read', ({ limit }) =>
      db
        .selectFrom('tasks')
        .innerJoin('runs', 'runs.id', 'tasks.run_id')
        .selectAll('tasks')
        .where('tasks.parked', '=', sql.lit(1))
        .where('runs.finished_at', 'is not', null)
        .orderBy('tasks.seq')
        .limit(limit),
    ),
    nextTimes: compileStatement<object, { due: string | null; lease: string | null }>('read', () =>
      db.selectNoFrom([
        sql<string | null>`(select min(run_at) from tasks where status = 'queued' and ready = 0)`.as('due'),
        sql<string | null>`(select min(lease_until) from tasks where status = 'running' and parked = 0)`.as(
          'lease',
        ),
      ]),
    ),
    openScheduled: compileStatement<OpenScheduledArgs, { seq: number }>('read', ({ subject, scheduleId }) =>
      db
        .selectFrom('tasks')
        .select('seq')
        .where('lane', '=', laneOf(db, subject))
        .where('scheduled', '=', sql.lit(1))
        .where('schedule_id', '=', scheduleId)
        .where('finished_at', 'is', null)
        .limit(1),
    ),
  }
}

/** The list of one shape, newest first. */
export function compileTaskList(db: Kysely<RuntimeTables>, shape: TaskListShape) {
  return compileStatement<TaskListArgs, TaskRow>(
    'read',
    ({ subject, scheduleId, userId, subjects, before, limit }) => {
      // What runs is little, and sorted faster than found among all there are: the sign keeps the planner from that.
      const seq = shape.status === 'running' ? sql<number>`+seq` : sql.ref<number>('seq')
      let query = db.selectFrom('tasks').selectAll().where(seq, '<', before).limit(limit)
      if (shape.bySubject) query = query.where('lane', '=', laneOf(db, subject))
      if (shape.bySchedule) query = query.where('schedule_id', '=', scheduleId)
      if (shape.byUser) query = query.where('user_id', '=', userId)
      if (shape.within) query = query.where('lane', 'in', lanesOf(db, subjects))
      if (shape.status !== undefined) {
        query = query.where('status', '=', sql.lit(shape.status))
        // The condition of the small index again: that is how the planner sees that it will do.
        if (shape.status === 'queued' || shape.status === 'failed')
          query = query.where(sql<boolean>`status in ('queued', 'failed')`)
      }
      return query.orderBy(seq, 'desc')
    },
  )
}

/**
 * The turn of a new task: after the tasks of the same user that are ready in its lane, or else beside the next task of the
 * lane. So a user with many tasks does not delay another.
 */
function turnOf(
  db: Kysely<RuntimeTables>,
  { subject, user_id: userId }: Pick<NewTaskRow, 'subject' | 'user_id'>,
) {
  const lane = laneOf(db, subject)
  return sql<number>`coalesce(
    (select max(own.turn) + 1 from tasks as own
      where own.lane = ${lane} and coalesce(own.user_id, '') = coalesce(${userId}, '') and own.ready = 1 and own.turn >= 0),
    (select next.turn from tasks as next where next.lane = ${lane} and next.ready = 1 and next.serial = 0
      order by next.priority desc, next.turn, next.seq limit 1),
    0)`
}

/** Arguments of a list; which of them count depends on its shape. */
interface TaskListArgs {
  subject: string
  scheduleId: string
  userId: string
  subjects: string
  before: number
  limit: number
}

/** The numbers of the lanes of some subjects. */
function lanesOf(db: Kysely<RuntimeTables>, subjects: string) {
  return db.selectFrom('task_lanes').select('id').where(isInList('subject', subjects))
}

/** The number of a lane, by its subject. */
function laneOf(db: Kysely<RuntimeTables>, subject: string) {
  return db.selectFrom('task_lanes').select('id').where('subject', '=', subject)
}
