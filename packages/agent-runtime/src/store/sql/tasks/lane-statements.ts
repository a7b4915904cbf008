import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { compileStatement, type Statement } from '@homeward/kit/sql'
import type { RuntimeTables } from '../schema.ts'
import type { TaskRow } from './task-row.ts'

/** A lane whose turn it is. */
export interface Lane {
  readonly id: number
  /** Its tasks that run, in all processes. */
  readonly running: number
  /** 1 when a task waits there that must not run beside another scheduled one, and none runs; else 0. */
  readonly serial: number
}

// Literals in these conditions lead the planner to the small indexes, whose conditions they repeat. None is an `exists`:
// for that, Postgres may read everything that waits, or look for the first row from the beginning of the table.
const runningOf = sql<number>`(select cast(count(*) as integer) from tasks
  where tasks.lane = task_lanes.id and tasks.status = 'running' and tasks.parked = 0)`
const anyReady = (serial: 0 | 1) => sql<boolean>`(select seq from tasks
  where tasks.lane = task_lanes.id and tasks.ready = 1 and tasks.serial = ${sql.lit(serial)}
  order by tasks.priority desc, tasks.turn, tasks.seq limit 1) is not null`
const scheduledRuns = sql<boolean>`(select count(*) from tasks where tasks.lane = task_lanes.id
  and tasks.scheduled = 1 and tasks.finished_at is null and tasks.status = 'running') > 0`

/** Tasks whose time has come that a claim looks after at once. */
const promotedAtOnce = 100

// Limits are literals too: SQLite compiles a statement anew for each run when its limit is a parameter.

/** Lanes that have something to take. Those that are passed over have tasks running: there are only a few. */
export function compileNextLanes(db: Kysely<RuntimeTables>, limit: number) {
  return compileStatement<{ perSubject: number }, Lane>('read', ({ perSubject }) =>
    selectLanes(db, perSubject).orderBy('served').orderBy('id').limit(sql.lit(limit)),
  )
}

function selectLanes(db: Kysely<RuntimeTables>, perSubject: number) {
  return db
    .selectFrom('task_lanes')
    .select('id')
    .select(runningOf.as('running'))
    .select(sql<number>`case when ${anyReady(1)} and not ${scheduledRuns} then 1 else 0 end`.as('serial'))
    .where('ready', '=', sql.lit(1))
    .where(runningOf, '<', perSubject)
    .where(sql<boolean>`(${anyReady(0)} or not ${scheduledRuns})`)
}

/** Lanes of so many named tasks, and how many of them are named. */
export function compileCountNamed(
  db: Kysely<RuntimeTables>,
  count: number,
): Statement<{ readonly ids: readonly string[] }, { readonly lane: number; readonly named: number }> {
  const places = Array.from({ length: count }, () => '')
  const query = db
    .selectFrom('tasks')
    .select(['lane', sql<number>`cast(count(*) as integer)`.as('named')])
    .where('id', 'in', places)
    .groupBy('lane')
  // a place that is left over repeats an id
  return {
    kind: 'read',
    sql: query.compile().sql,
    bind: ({ ids }) => places.map((_, place) => ids[place] ?? ids[0]),
  }
}

/** What is ready in a lane, the first to be taken first. */
export function compileListReady(db: Kysely<RuntimeTables>, limit: number) {
  return compileStatement<{ lane: number; serial: number }, TaskRow>('read', ({ lane, serial }) =>
    db
      .selectFrom('tasks')
      .selectAll()
      .where('lane', '=', lane)
      .where('ready', '=', sql.lit(1))
      .where('serial', '=', serial)
      .orderBy('priority', 'desc')
      .orderBy('turn')
      .orderBy('seq')
      .limit(sql.lit(limit)),
  )
}

/** Statements on lanes, and on what is ready in them. */
export function createLaneStatements(db: Kysely<RuntimeTables>) {
  return {
    /** Marks a lane as one that may have something ready, and makes it when it is new. */
    touch: compileStatement<{ subject: string; ready: number }, unknown>('write', ({ subject, ready }) =>
      db
        .insertInto('task_lanes')
        .values({ subject, ready, served: 0 })
        .onConflict((conflict) =>
          conflict
            .column('subject')
            .doUpdateSet({ ready: 1 })
            .where('task_lanes.ready', '=', 0)
            .where('excluded.ready' as 'task_lanes.ready', '=', 1),
        ),
    ),
    wake: compileStatement<{ lane: number }, unknown>('write', ({ lane }) =>
      db.updateTable('task_lanes').set({ ready: 1 }).where('id', '=', lane).where('ready', '=', 0),
    ),
    /** A lane, if it has something to take. */
    find: compileStatement<{ lane: number; perSubject: number }, Lane>('read', ({ lane, perSubject }) =>
      selectLanes(db, perSubject).where('id', '=', lane),
    ),
    /** Ends a lane's turn. */
    serve: compileStatement<{ lane: number; served: number }, unknown>('write', ({ lane, served }) =>
      db
        .updateTable('task_lanes')
        .set({
          served,
          ready: sql<number>`case when (select seq from tasks
            where tasks.lane = task_lanes.id and tasks.ready = 1
            order by tasks.serial, tasks.priority desc, tasks.turn, tasks.seq limit 1) is not null then 1 else 0 end`,
        })
        .where('id', '=', lane),
    ),
    lastServed: compileStatement<object, { idle: number | null; ready: number | null }>('read', () =>
      db.selectNoFrom([
        sql<number | null>`(select max(served) from task_lanes where ready = 0)`.as('idle'),
        sql<number | null>`(select max(served) from task_lanes where ready = 1)`.as('ready'),
      ]),
    ),
    listDue: compileStatement<{ now: string }, { seq: number; lane: number }>('read', ({ now }) =>
      db
        .selectFrom('tasks')
        .select(['seq', 'lane'])
        .where('status', '=', sql.lit('queued'))
        .where('ready', '=', sql.lit(0))
        .where('run_at', '<=', now)
        .orderBy('run_at')
        .limit(sql.lit(promotedAtOnce)),
    ),
    setReady: compileStatement<{ seq: number }, unknown>('write', ({ seq }) =>
      db.updateTable('tasks').set({ ready: 1 }).where('seq', '=', seq),
    ),
  }
}

/** What takes so many tasks. */
interface TakeArgs {
  readonly seqs: readonly number[]
  readonly owner: string
  readonly until: string
  readonly now: string
}

/** Takes many tasks in one statement: each statement costs more than a row does. */
export function compileTake(db: Kysely<RuntimeTables>, count: number): Statement<TakeArgs, unknown> {
  const places = Array.from({ length: count }, () => 0)
  const query = db
    .updateTable('tasks')
    .set({
      status: sql.lit('running'),
      ready: sql.lit(0),
      attempt: sql<number>`attempt + 1`,
      lease_owner: '',
      lease_until: '',
      updated_at: '',
      started_at: sql<string>`coalesce(started_at, ${''})`,
    })
    .where('seq', 'in', places)
  return {
    kind: 'write',
    sql: query.compile().sql,
    // in the order of the places above
    bind: ({ seqs, owner, until, now }) => [owner, until, now, now, ...seqs],
  }
}
