import type { Compilable, Kysely } from 'kysely'
import { sql } from 'kysely'
import { rareTypes } from './rare-types.ts'
import type { RuntimeTables } from './schema.ts'

/** Makes everything but the search index of memories, as it was in the first release. */
export function buildTables(db: Kysely<RuntimeTables>): readonly Compilable[] {
  return [
    ...buildAgents(db),
    ...buildConversations(db),
    ...buildRuns(db),
    ...buildRunParts(db),
    ...buildJournal(db),
    ...buildMemories(db),
  ]
}

function buildAgents({ schema }: Kysely<RuntimeTables>): readonly Compilable[] {
  return [
    schema
      .createTable('agents')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('agent', 'text', (column) => column.notNull()),
    schema.createIndex('agents_time').on('agents').columns(['created_at', 'id']),
  ]
}

function buildConversations({ schema }: Kysely<RuntimeTables>): readonly Compilable[] {
  return [
    schema
      .createTable('conversations')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('agent_id', 'text', (column) => column.notNull())
      .addColumn('user_id', 'text')
      .addColumn('title', 'text')
      .addColumn('summary', 'text')
      .addColumn('summarized_seq', 'integer', (column) => column.notNull())
      .addColumn('message_count', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('updated_at', 'text', (column) => column.notNull()),
    schema.createIndex('conversations_time').on('conversations').columns(['updated_at desc', 'id']),
    schema
      .createIndex('conversations_agent')
      .on('conversations')
      .columns(['agent_id', 'updated_at desc', 'id']),
    schema
      .createIndex('conversations_user')
      .on('conversations')
      .columns(['user_id', 'updated_at desc', 'id'])
      .where(sql.ref('user_id'), 'is not', null),
    schema
      .createTable('messages')
      .addColumn('conversation_id', 'text', (column) =>
        column.notNull().references('conversations.id').onDelete('cascade'),
      )
      .addColumn('seq', 'integer', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('run_id', 'text')
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('message', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('messages_pk', ['conversation_id', 'seq']),
    schema.createIndex('messages_id').unique().on('messages').columns(['conversation_id', 'id']),
  ]
}

function buildRuns({ schema }: Kysely<RuntimeTables>): readonly Compilable[] {
  const finishedAt = sql.ref('finished_at')
  return [
    schema
      .createTable('runs')
      .addColumn('seq', 'integer', (column) => column.primaryKey())
      .addColumn('id', 'text', (column) => column.notNull().unique())
      .addColumn('agent_id', 'text', (column) => column.notNull())
      .addColumn('conversation_id', 'text', (column) => column.notNull())
      .addColumn('idempotency_key', 'text', (column) => column.unique())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('finished_at', 'text')
      .addColumn('run', 'text', (column) => column.notNull())
      .addColumn('progress', 'text')
      .addColumn('result', 'text')
      .addColumn('has_steps', 'integer', (column) => column.notNull()),
    schema.createIndex('runs_time').on('runs').columns(['created_at', 'id']),
    schema.createIndex('runs_agent').on('runs').columns(['agent_id', 'created_at', 'id']),
    schema.createIndex('runs_conversation').on('runs').columns(['conversation_id', 'created_at', 'id']),
    // What goes on after a restart is found without reading what has ended.
    schema.createIndex('runs_open').on('runs').columns(['created_at', 'id']).where(finishedAt, 'is', null),
    schema.createIndex('runs_finished').on('runs').column('finished_at').where(finishedAt, 'is not', null),
    schema
      .createIndex('runs_with_steps')
      .on('runs')
      .column('finished_at')
      .where(sql.ref('has_steps'), '=', sql.lit(1)),
  ]
}

function buildRunParts({ schema }: Kysely<RuntimeTables>): readonly Compilable[] {
  return [
    schema
      .createTable('run_steps')
      .addColumn('seq', 'integer', (column) => column.primaryKey())
      .addColumn('run_seq', 'integer', (column) =>
        column.notNull().references('runs.seq').onDelete('cascade'),
      )
      .addColumn('first_seq', 'integer', (column) => column.notNull())
      .addColumn('last_seq', 'integer', (column) => column.notNull())
      .addColumn('progress', 'text', (column) => column.notNull())
      .addColumn('messages', 'text', (column) => column.notNull())
      .addColumn('events', 'text', (column) => column.notNull()),
    schema.createIndex('run_steps_run').on('run_steps').columns(['run_seq', 'seq']),
    schema
      .createTable('approvals')
      .addColumn('seq', 'integer', (column) => column.primaryKey())
      .addColumn('run_id', 'text', (column) => column.notNull().references('runs.id').onDelete('cascade'))
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('call_id', 'text', (column) => column.notNull())
      .addColumn('tool', 'text', (column) => column.notNull())
      .addColumn('args', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('reason', 'text')
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('decided_at', 'text'),
    schema.createIndex('approvals_id').unique().on('approvals').columns(['run_id', 'id']),
  ]
}

function buildJournal({ schema }: Kysely<RuntimeTables>): readonly Compilable[] {
  return [
    schema
      .createTable('journal')
      .addColumn('seq', 'integer', (column) => column.primaryKey())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('run_key', 'integer')
      .addColumn('run_id', 'text')
      .addColumn('timestamp', 'text', (column) => column.notNull())
      .addColumn('data', 'text', (column) => column.notNull()),
    // The two events of each tool call are left out: they cost a step a fifth of its time.
    schema.createIndex('journal_type').on('journal').columns(['type', 'seq']).where(rareTypes),
    schema
      .createIndex('journal_run')
      .on('journal')
      .columns(['run_key', 'seq'])
      .where(sql.ref('run_key'), 'is not', null),
  ]
}

function buildMemories({ schema }: Kysely<RuntimeTables>): readonly Compilable[] {
  return [
    schema
      .createTable('memories')
      .addColumn('seq', 'integer', (column) => column.primaryKey())
      .addColumn('id', 'text', (column) => column.notNull().unique())
      .addColumn('memory', 'text', (column) => column.notNull())
      .addColumn('words', 'integer', (column) => column.notNull())
      .addColumn('expires_at', 'text')
      // Last, so that a row is read without it.
      .addColumn('embedding', 'blob'),
    schema
      .createIndex('memories_expiring')
      .on('memories')
      .column('expires_at')
      .where(sql.ref('expires_at'), 'is not', null),
    schema
      .createIndex('memories_with_vector')
      .on('memories')
      .column('seq')
      .where(sql.ref('embedding'), 'is not', null),
    schema
      .createTable('memory_totals')
      .addColumn('texts', 'integer', (column) => column.notNull())
      .addColumn('words', 'integer', (column) => column.notNull()),
  ]
}
