import type { RunStatus } from '@homeward/contract/agent-platform'
import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { RunRow, StepRow } from './run-row.ts'
import type { RunsTable, RuntimeTables } from './schema.ts'
import { compileStatement } from './statement.ts'

type NewRunRow = Omit<RunsTable, 'seq' | 'status' | 'finished_at' | 'progress' | 'result' | 'has_steps'>
type FinishArgs = Pick<RunsTable, 'id' | 'status'> & { finishedAt: string; progress: string; result: string }

/** What a list of runs filters by. */
export interface RunListShape extends Record<string, boolean | string | undefined> {
  readonly byAgent: boolean
  readonly byConversation: boolean
  readonly status: RunStatus | undefined
  readonly after: boolean
}

/** Arguments of a list; which of them count depends on its shape. */
export interface RunListArgs {
  agentId: string
  conversationId: string
  afterTime: string
  afterId: string
  limit: number
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
          conversation_id: row.conversation_id,
          idempotency_key: row.idempotency_key,
          created_at: row.created_at,
          run: row.run,
          status: 'running',
          finished_at: null,
          progress: null,
          result: null,
          has_steps: 0,
        })
        .onConflict((conflict) => conflict.column('idempotency_key').doNothing()),
    ),
    wait: compileStatement<{ id: string; result: string }, unknown>('write', ({ id, result }) =>
      db.updateTable('runs').set({ status: 'waiting', result }).where('id', '=', id),
    ),
    finish: compileStatement<FinishArgs, unknown>('write', (args) =>
      db
        .updateTable('runs')
        .set({
          status: args.status,
          finished_at: args.finishedAt,
          progress: args.progress,
          result: args.result,
          has_steps: 1,
        })
        .where('id', '=', args.id)
        .where('finished_at', 'is', null),
    ),
    resume: compileStatement<{ id: string }, { id: string }>('write', ({ id }) =>
      db
        .updateTable('runs')
        .set({ status: 'running', result: null })
        .where('id', '=', id)
        .where('status', '=', 'waiting')
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('approvals').select('seq').where('run_id', '=', id).where('status', '=', 'pending'),
            ),
          ),
        )
        .returning('id'),
    ),
  }
}

/** Statements that add steps. */
export function createStepStatements(db: Kysely<RuntimeTables>) {
  const insert = (row: StepRow, onlyRunning: boolean) => {
    const runs = db
      .selectFrom('runs')
      .select([
        'seq',
        sql<number>`${row.firstSeq}`.as('first_seq'),
        sql<number>`${row.lastSeq}`.as('last_seq'),
        sql<string>`${row.progress}`.as('progress'),
        sql<string>`${row.messages}`.as('messages'),
        sql<string>`${row.events}`.as('events'),
      ])
      .where('id', '=', row.runId)
    return db
      .insertInto('run_steps')
      .columns(['run_seq', 'first_seq', 'last_seq', 'progress', 'messages', 'events'])
      .expression(onlyRunning ? runs.where('status', '=', 'running') : runs)
  }
  return {
    /** Adds a step, but only to a run that is running. */
    insertStep: compileStatement<StepRow, unknown>('write', (row) => insert(row, true)),
    insertLastStep: compileStatement<StepRow, unknown>('write', (row) => insert(row, false)),
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
      db.selectFrom('run_steps').select('messages').where('run_seq', '=', runSeq(db, id)).orderBy('seq'),
    ),
    listEvents: compileStatement<{ id: string; since: number }, { firstSeq: number; events: string }>(
      'read',
      ({ id, since }) =>
        db
          .selectFrom('run_steps')
          .select(['first_seq as firstSeq', 'events'])
          .where('run_seq', '=', runSeq(db, id))
          .where('last_seq', '>', since)
          .whereRef('last_seq', '>=', 'first_seq')
          .orderBy('seq'),
    ),
  }
}

/** The list of one shape. */
export function compileRunList(db: Kysely<RuntimeTables>, shape: RunListShape) {
  return compileStatement<RunListArgs, RunRow>('read', (args) => {
    let query = selectRuns(db).limit(args.limit)
    if (shape.byAgent) query = query.where('agent_id', '=', args.agentId)
    if (shape.byConversation) query = query.where('conversation_id', '=', args.conversationId)
    if (shape.status !== undefined) {
      // A literal, not a parameter, and the time besides: that is how the planner sees that the small index will do.
      query = query.where('status', '=', sql.lit(shape.status))
      if (shape.status === 'running' || shape.status === 'waiting')
        query = query.where('finished_at', 'is', null)
    }
    if (shape.after) {
      query = query.where(sql<boolean>`(created_at, id) < (${args.afterTime}, ${args.afterId})`)
    }
    return query.orderBy('created_at', 'desc').orderBy('id', 'desc')
  })
}

function selectRuns(db: Kysely<RuntimeTables>) {
  return db
    .selectFrom('runs')
    .select(['id', 'created_at as createdAt', 'finished_at as finishedAt', 'status', 'run', 'result'])
    .select(
      sql<string | null>`coalesce(progress, (select progress from run_steps
        where run_seq = runs.seq order by seq desc limit 1))`.as('progress'),
    )
}

/** The number of a run, by its id. */
export function runSeq(db: Kysely<RuntimeTables>, id: string) {
  return db.selectFrom('runs').select('seq').where('id', '=', id)
}
