import type { Expression, Kysely } from 'kysely'
import { sql } from 'kysely'
import { compileStatement } from '@homeward/kit/sql'
import type { NewestStep, RunRow, StepRow } from './run-row.ts'
import { stepsPerRun } from './run-tables.ts'
import type { RunsTable, RuntimeTables } from '../schema.ts'

const stepCount = sql.lit(stepsPerRun)
/** Whether `steps` is a step of the row of `runs`. */
export const isOfRun = sql<boolean>`steps.seq >= runs.seq * ${stepCount} and steps.seq < (runs.seq + 1) * ${stepCount}`
/** Number of the next step of the row of `runs`. */
const nextStepSeq = sql<number>`coalesce((select max(steps.seq) from run_steps as steps where ${isOfRun}),
  runs.seq * ${stepCount} - 1) + 1`

/** What a new run does not have yet. */
type Later =
  | 'status'
  | 'finished_at'
  | 'duration_ms'
  | 'cost_micro_usd'
  | 'progress'
  | 'result'
  | 'has_steps'
  | 'cancel_requested'
type NewRunRow = Omit<RunsTable, 'seq' | Later | 'take_overs' | 'taken_step'>
type FinishArgs = Pick<RunsTable, 'id' | 'status'> & {
  owner: string
  finishedAt: string
  progress: string
  result: string
  durationMs: number
  microUsd: number | null
}

/** Statements that change runs. */
export function createRunWrites(db: Kysely<RuntimeTables>) {
  return {
    insert: compileStatement<NewRunRow, unknown>('write', (row) =>
      db
        .insertInto('runs')
        .values({
          id: row.id,
          agent_id: row.agent_id,
          graph_id: row.graph_id,
          parent_run_id: row.parent_run_id,
          conversation_id: row.conversation_id,
          user_id: row.user_id,
          idempotency_key: row.idempotency_key,
          source: row.source,
          created_at: row.created_at,
          owner: row.owner,
          lease_until: row.lease_until,
          run: row.run,
          status: sql.lit('running'),
          finished_at: null,
          cancel_requested: sql.lit(0),
          progress: null,
          result: null,
          has_steps: sql.lit(0),
        })
        .onConflict((conflict) =>
          conflict.column('idempotency_key').where('idempotency_key', 'is not', null).doNothing(),
        ),
    ),
    wait: compileStatement<{ id: string; result: string }, unknown>('write', ({ id, result }) =>
      db
        .updateTable('runs')
        .set({ status: 'waiting', result, owner: null, lease_until: null })
        .where('id', '=', id),
    ),
    /** A run that was spoken to goes on, unless it failed or was cancelled. */
    finish: compileStatement<FinishArgs, unknown>('write', (args) =>
      updateEnd(db, args)
        .where('owner', '=', args.owner)
        .where(
          sql<boolean>`(cast(${args.status} as text) <> 'completed' or not exists (select 1 from run_inputs
            where run_inputs.run_id = ${args.id} and run_inputs.mode = 'steer' and run_inputs.delivered = 0))`,
        ),
    ),
    /** Ends a run that nobody works on. */
    finishWaiting: compileStatement<Omit<FinishArgs, 'owner'>, unknown>('write', (args) =>
      updateEnd(db, args).where('status', '=', sql.lit('waiting')),
    ),
    resume: compileStatement<{ id: string; owner: string; until: string }, { id: string }>(
      'write',
      ({ id, owner, until }) =>
        db
          .updateTable('runs')
          .set({ status: 'running', result: null, owner, lease_until: until })
          .where('id', '=', id)
          .where('status', '=', 'waiting')
          // one node of a graph goes on while others wait
          .where(({ or, eb, not, exists, selectFrom }) =>
            or([
              eb('graph_id', 'is not', null),
              not(
                exists(
                  selectFrom('waits')
                    .select('seq')
                    .where('run_id', '=', id)
                    .where('status', '=', sql.lit('open')),
                ),
              ),
            ]),
          )
          .returning('id'),
    ),
  }
}

function updateEnd(db: Kysely<RuntimeTables>, args: Omit<FinishArgs, 'owner'>) {
  return db
    .updateTable('runs')
    .set({
      status: args.status,
      finished_at: args.finishedAt,
      progress: args.progress,
      result: args.result,
      duration_ms: args.durationMs,
      cost_micro_usd: args.microUsd,
      owner: null,
      lease_until: null,
      has_steps: sql.lit(1),
    })
    .where('id', '=', args.id)
    .where('finished_at', 'is', null)
}

const stepColumns = [
  'seq',
  'first_seq',
  'last_seq',
  'progress',
  'intents',
  'spans',
  'messages',
  'events',
] as const

/** Statements that add steps, but only to a run that is running, and the writer's. */
export function createStepStatements(db: Kysely<RuntimeTables>) {
  const select = (seq: Expression<number>, row: StepRow) =>
    db
      .selectFrom('runs')
      .select([
        sql<number>`${seq}`.as('seq'),
        sql<number>`cast(${row.firstSeq} as bigint)`.as('first_seq'),
        sql<number>`cast(${row.lastSeq} as bigint)`.as('last_seq'),
        sql<string>`cast(${row.progress} as text)`.as('progress'),
        sql<string | null>`cast(${row.intents} as text)`.as('intents'),
        sql<string | null>`cast(${row.spans} as text)`.as('spans'),
        sql<string>`cast(${row.messages} as text)`.as('messages'),
        sql<string>`cast(${row.events} as text)`.as('events'),
      ])
      .where('id', '=', row.runId)
  const insert = () => db.insertInto('run_steps').columns([...stepColumns])
  return {
    /** Adds a step behind all others. */
    insertStep: compileStatement<StepRow, unknown>('write', (row) =>
      insert().expression(
        select(nextStepSeq, row).where('status', '=', sql.lit('running')).where('owner', '=', row.owner),
      ),
    ),
    /** Adds the step with a number, if there is none: that costs less than looking for the number. */
    insertStepAt: compileStatement<StepRow & { number: number }, unknown>('write', (row) => {
      const seq = sql<number>`runs.seq * ${stepCount} + cast(${row.number} as bigint)`
      return insert()
        .expression(select(seq, row).where('status', '=', sql.lit('running')).where('owner', '=', row.owner))
        .onConflict((conflict) => conflict.column('seq').doNothing())
    }),
    /** Adds the last step of a run that has just been ended. */
    insertLastStep: compileStatement<StepRow, unknown>('write', (row) =>
      insert().expression(select(nextStepSeq, row)),
    ),
    /** The newest step, with whose the run is. */
    newestStep: compileStatement<{ runId: string }, NewestStep>('read', ({ runId }) =>
      db
        .selectFrom('runs')
        .innerJoin('run_steps as newest', (join) => join.on(sql<boolean>`newest.seq = ${nextStepSeq} - 1`))
        .select(['runs.status', 'runs.owner', 'first_seq as firstSeq', 'last_seq as lastSeq'])
        .select(['newest.progress', 'newest.intents', 'newest.messages'])
        .where('runs.id', '=', runId),
    ),
    /** Number of the newest step. */
    lastStep: compileStatement<{ id: string }, { number: number | null }>('read', ({ id }) =>
      db
        .selectFrom('run_steps')
        .select((eb) => sql<number | null>`${eb.fn.max('seq')} % ${stepCount}`.as('number'))
        .where(isStepOf(db, id)),
    ),
  }
}

/** Statements that read runs and their steps. */
export function createRunReads(db: Kysely<RuntimeTables>) {
  return {
    find: compileStatement<{ id: string }, RunRow>('read', ({ id }) => selectRuns(db).where('id', '=', id)),
    findByKey: compileStatement<{ key: string }, RunRow>('read', ({ key }) =>
      selectRuns(db).where('idempotency_key', '=', key),
    ),
    listMessages: compileStatement<{ id: string }, { messages: string }>('read', ({ id }) =>
      db.selectFrom('run_steps').select('messages').where(isStepOf(db, id)).orderBy('seq'),
    ),
    listSpans: compileStatement<{ id: string }, { spans: string }>('read', ({ id }) =>
      db
        .selectFrom('run_steps')
        .select(sql<string>`spans`.as('spans'))
        .where(isStepOf(db, id))
        .where('spans', 'is not', null)
        .orderBy('seq'),
    ),
    listEvents: compileStatement<{ id: string; since: number }, { firstSeq: number; events: string }>(
      'read',
      ({ id, since }) =>
        db
          .selectFrom('run_steps')
          .select(['first_seq as firstSeq', 'events'])
          .where(isStepOf(db, id))
          .where('last_seq', '>', since)
          .whereRef('last_seq', '>=', 'first_seq')
          .orderBy('seq'),
    ),
  }
}

/** Runs as {@link RunRow}. */
export function selectRuns(db: Kysely<RuntimeTables>) {
  return db.selectFrom('runs').select(runRowColumns)
}

/** Columns of a {@link RunRow}. */
export const runRowColumns = [
  'id',
  'created_at as createdAt',
  'finished_at as finishedAt',
  'status',
  'run',
  'result',
  'owner',
  'lease_until as leaseUntil',
  'cancel_requested as cancelRequested',
  'take_overs as takeOvers',
  'duration_ms as durationMs',
  'cost_micro_usd as microUsd',
  sql<string | null>`coalesce(progress, (select steps.progress from run_steps as steps
    where ${isOfRun} order by steps.seq desc limit 1))`.as('progress'),
] as const

/** Whether a step is one of a run, by the run's id. */
export function isStepOf(db: Kysely<RuntimeTables>, id: string) {
  const run = db.selectFrom('runs').select('seq').where('id', '=', id)
  const size = sql.lit(stepsPerRun)
  return sql<boolean>`seq >= (${run}) * ${size} and seq < ((${run}) + 1) * ${size}`
}
