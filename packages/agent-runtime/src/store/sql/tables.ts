import type { Compilable, Kysely } from 'kysely'
import { sql } from 'kysely'
import { buildWebhookTables } from '@homeward/kit/sql'
import { buildAccessTables } from './access/access-tables.ts'
import { buildBudgetTables } from './usage/budget-tables.ts'
import { buildChannelTables } from './channels/channel-tables.ts'
import { buildFileTables } from './files/file-tables.ts'
import { buildGraphTables } from './graph-tables.ts'
import { rareTypes } from './journal/rare-types.ts'
import { buildRunTables } from './runs/run-tables.ts'
import { buildScheduleTables } from './schedules/schedule-tables.ts'
import type { RuntimeTables } from './schema.ts'
import { buildTaskTables } from './tasks/task-tables.ts'

/** Makes every table of a new database, without the search index of memories and the index of a run's events. */
export function buildTables(db: Kysely<RuntimeTables>): readonly Compilable[] {
  return [
    ...buildAgents(db),
    ...buildGraphTables(db),
    ...buildConversations(db),
    ...buildFileTables(db),
    ...buildRunTables(db),
    ...buildBudgetTables(db),
    ...buildTaskTables(db),
    ...buildScheduleTables(db),
    ...buildChannelTables(db),
    ...buildAccessTables(db),
    ...buildJournal(db),
    ...buildMemories(db),
    ...buildWebhookTables(db),
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

function buildJournal({ schema }: Kysely<RuntimeTables>): readonly Compilable[] {
  return [
    schema
      .createTable('journal')
      .addColumn('seq', 'integer', (column) => column.primaryKey())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('run_id', 'text')
      .addColumn('timestamp', 'text', (column) => column.notNull())
      .addColumn('data', 'text', (column) => column.notNull()),
    // The events of each turn and each tool call are left out: they cost a step a fifth of its time.
    schema.createIndex('journal_type').on('journal').columns(['type', 'seq']).where(rareTypes),
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
      .addColumn('embedding_model', 'text')
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
