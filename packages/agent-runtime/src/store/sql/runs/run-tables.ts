import type { Compilable, Kysely } from 'kysely'
import { sql } from 'kysely'
import type { RuntimeTables } from '../schema.ts'

/**
 * Numbers that belong to one run in `run_steps`: the steps of the run with the number 3 are `3 * stepsPerRun` and
 * following. So the number of a step is all that is needed to find it, and a step costs one page to write.
 */
export const stepsPerRun = 1_048_576

/** Makes the tables of runs. */
export function buildRunTables(db: Kysely<RuntimeTables>): readonly Compilable[] {
  return [...buildRuns(db), ...buildRunParts(db)]
}

function buildRuns({ schema }: Kysely<RuntimeTables>): readonly Compilable[] {
  return [
    schema
      .createTable('runs')
      .addColumn('seq', 'integer', (column) => column.primaryKey())
      .addColumn('id', 'text', (column) => column.notNull().unique())
      .addColumn('agent_id', 'text')
      .addColumn('graph_id', 'text')
      .addColumn('parent_run_id', 'text')
      .addColumn('conversation_id', 'text')
      .addColumn('idempotency_key', 'text')
      .addColumn('source', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('finished_at', 'text')
      .addColumn('owner', 'text')
      .addColumn('lease_until', 'text')
      .addColumn('cancel_requested', 'integer', (column) => column.notNull())
      .addColumn('has_steps', 'integer', (column) => column.notNull())
      // These tell a run that ends its process, again and again.
      .addColumn('take_overs', 'integer', (column) => column.notNull().defaultTo(sql.lit(0)))
      .addColumn('taken_step', 'integer')
      .addColumn('duration_ms', 'bigint')
      .addColumn('cost_micro_usd', 'bigint')
      // Long ones last, so that a row is read without them.
      .addColumn('progress', 'text')
      .addColumn('run', 'text', (column) => column.notNull())
      .addColumn('result', 'text'),
    ...buildRunIndexes({ schema }),
  ]
}

function buildRunIndexes({ schema }: Pick<Kysely<RuntimeTables>, 'schema'>): readonly Compilable[] {
  const status = sql.ref('status')
  return [
    schema
      .createIndex('runs_key')
      .unique()
      .on('runs')
      .column('idempotency_key')
      .where(sql.ref('idempotency_key'), 'is not', null),
    schema.createIndex('runs_time').on('runs').columns(['created_at', 'id']),
    schema
      .createIndex('runs_agent')
      .on('runs')
      .columns(['agent_id', 'created_at', 'id'])
      .where(sql.ref('agent_id'), 'is not', null),
    schema
      .createIndex('runs_graph')
      .on('runs')
      .columns(['graph_id', 'created_at', 'id'])
      .where(sql.ref('graph_id'), 'is not', null),
    schema
      .createIndex('runs_parent')
      .on('runs')
      .columns(['parent_run_id', 'created_at', 'id'])
      .where(sql.ref('parent_run_id'), 'is not', null),
    schema
      .createIndex('runs_conversation')
      .on('runs')
      .columns(['conversation_id', 'created_at', 'id'])
      .where(sql.ref('conversation_id'), 'is not', null),
    schema.createIndex('runs_source').on('runs').columns(['source', 'created_at', 'id']),
    // What goes on after a restart is found without reading what has ended.
    schema
      .createIndex('runs_running')
      .on('runs')
      .columns(['created_at', 'id'])
      .where(status, '=', sql.lit('running')),
    schema
      .createIndex('runs_waiting')
      .on('runs')
      .columns(['created_at', 'id'])
      .where(status, '=', sql.lit('waiting')),
    // Of two indexes that are written when a run ends, each has some of the runs: first this one, then that.
    schema
      .createIndex('runs_with_steps')
      .on('runs')
      .column('finished_at')
      .where(sql<boolean>`has_steps = 1 and finished_at is not null`),
    schema
      .createIndex('runs_without_steps')
      .on('runs')
      .column('finished_at')
      .where(sql<boolean>`has_steps = 0 and finished_at is not null`),
    // Only runs that have ended are in these, and of the second only those with a cost.
    ...(['duration_ms', 'cost_micro_usd'] as const).map((column) =>
      schema
        .createIndex(`runs_${column}`)
        .on('runs')
        .columns([column, 'created_at', 'id'])
        .where(sql.ref(column), 'is not', null),
    ),
    // Among very many that are done, those that went wrong are looked for. A run that is done pays nothing for them.
    ...(['failed', 'cancelled'] as const).map((value) =>
      schema
        .createIndex(`runs_${value}`)
        .on('runs')
        .columns(['created_at', 'id'])
        .where(status, '=', sql.lit(value)),
    ),
  ]
}

/** Finds the runs of a conversation that have not ended, without a look at those that have. */
export const openRunsIndex =
  'create index runs_open on runs (conversation_id, created_at, id) where finished_at is null and conversation_id is not null'

function buildRunParts({ schema }: Kysely<RuntimeTables>): readonly Compilable[] {
  return [
    schema
      .createTable('run_steps')
      .addColumn('seq', 'integer', (column) => column.primaryKey())
      .addColumn('first_seq', 'integer', (column) => column.notNull())
      .addColumn('last_seq', 'integer', (column) => column.notNull())
      .addColumn('progress', 'text', (column) => column.notNull())
      .addColumn('intents', 'text')
      .addColumn('spans', 'text')
      .addColumn('messages', 'text', (column) => column.notNull())
      .addColumn('events', 'text', (column) => column.notNull()),
    schema
      .createTable('run_effects')
      .addColumn('step_seq', 'integer', (column) => column.notNull())
      .addColumn('key', 'text', (column) => column.notNull())
      .addColumn('outcome', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('run_effects_pk', ['step_seq', 'key']),
    schema
      .createTable('approvals')
      .addColumn('seq', 'integer', (column) => column.primaryKey())
      .addColumn('run_id', 'text', (column) => column.notNull().references('runs.id').onDelete('cascade'))
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('call_id', 'text', (column) => column.notNull())
      .addColumn('tool', 'text', (column) => column.notNull())
      .addColumn('args', 'text', (column) => column.notNull())
      .addColumn('call_hash', 'text')
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('expires_at', 'text')
      .addColumn('edited_args', 'text')
      .addColumn('reason', 'text')
      .addColumn('response', 'text')
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('decided_at', 'text')
      .addColumn('decided_by', 'text')
      .addColumn('announced', 'integer', (column) => column.notNull().defaultTo(0)),
    schema.createIndex('approvals_id').unique().on('approvals').columns(['run_id', 'id']),
    schema
      .createIndex('approvals_due')
      .on('approvals')
      .columns(['expires_at', 'seq'])
      .where(sql.ref('status'), '=', sql.lit('pending')),
    schema
      .createIndex('approvals_unannounced')
      .on('approvals')
      .column('seq')
      .where(sql<boolean>`status = 'pending' and announced = 0`),
    schema
      .createTable('remembered_calls')
      .addColumn('seq', 'integer', (column) => column.primaryKey())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('agent_id', 'text', (column) => column.notNull())
      .addColumn('conversation_id', 'text', (column) => column.notNull())
      .addColumn('call_hash', 'text', (column) => column.notNull())
      .addColumn('call', 'text', (column) => column.notNull()),
    schema
      .createIndex('remembered_calls_hash')
      .unique()
      .on('remembered_calls')
      .columns(['agent_id', 'call_hash', 'conversation_id']),
    schema.createIndex('remembered_calls_conversation').on('remembered_calls').column('conversation_id'),
    schema.createIndex('remembered_calls_agent').on('remembered_calls').columns(['agent_id', 'seq']),
  ]
}
