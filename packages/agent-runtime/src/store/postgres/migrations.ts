import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Migration } from '@homeward/kit/sql'
import { toLockNumber } from '@homeward/kit/postgres'
import { buildAgentVersions } from '../sql/agent-plans.ts'
import { buildWhatIfTables } from '../sql/runs/what-if-plans.ts'
import { buildFeedbackTables } from '../sql/runs/feedback-plans.ts'
import { buildInputTables } from '../sql/runs/input-plans.ts'
import { addLinkColumns } from '../sql/channels/link-plans.ts'
import { giveRememberedCallsToUsers, type JsonField } from '../sql/runs/remembered-plans.ts'
import { openRunsIndex } from '../sql/runs/run-tables.ts'
import type { RuntimeTables } from '../sql/schema.ts'
import { buildDocumentTables } from '../sql/documents/document-tables.ts'
import { buildTables } from '../sql/tables.ts'
import { buildResponseTables } from '../sql/runs/response-plans.ts'
import { addSignalDelivery, buildSignalTables } from '../sql/runs/signal-plans.ts'
import { buildTriggerTables } from '../sql/triggers/trigger-plans.ts'
import { moveApprovals } from '../sql/runs/wait-plans.ts'
import { addTurns, addUserColumns } from '../sql/user-columns.ts'
import { buildWaitTriggers, buildWebhookTriggers } from '../sql/webhooks/webhook-triggers.ts'

const jsonField: JsonField = (column, field) => `(${column}::json ->> '${field}')`

/** All steps, oldest first. Versions 1 to 6 were those of development: nothing was released with them. */
export const postgresMigrations: readonly Migration<RuntimeTables>[] = [
  {
    version: 8,
    name: 'everything of the first release',
    build: (db, schema) => [
      ...buildTables(db),
      ...buildJournalNumbers(db, schema),
      'create index journal_run on journal (run_id, seq) where run_id is not null',
      ...buildMemorySearch(db),
      ...runSearch,
      ...buildWebhookTriggers('postgres'),
    ],
  },
  {
    version: 9,
    name: 'remembered decisions of each user',
    build: () => giveRememberedCallsToUsers(jsonField),
  },
  { version: 10, name: 'triggers', build: (db) => buildTriggerTables(db) },
  {
    version: 11,
    name: 'users of runs, tasks and conversations',
    build: () => addUserColumns(jsonField),
  },
  {
    version: 12,
    name: 'waits of every kind',
    build: (db) => [
      ...moveApprovals(db, { field: jsonField, quote: (column) => `to_json(${column})::text` }),
      'drop function webhook_approval_requested()',
      ...buildWaitTriggers('postgres'),
    ],
  },
  { version: 13, name: 'open runs of a conversation', build: () => [openRunsIndex] },
  { version: 14, name: 'turns of users', build: addTurns },
  { version: 15, name: 'messages to runs', build: (db) => buildInputTables(db) },
  { version: 16, name: 'signals', build: (db) => buildSignalTables(db) },
  { version: 17, name: 'delivery of signals', build: (db) => addSignalDelivery(db) },
  { version: 18, name: 'stored responses', build: (db) => buildResponseTables(db) },
  { version: 19, name: 'links of senders', build: addLinkColumns },
  {
    version: 20,
    name: 'documents',
    build: (db) => [
      ...buildDocumentTables(db),
      'alter table document_chunks add column lexemes tsvector not null',
      'create index document_chunks_lexemes on document_chunks using gin (lexemes) with (fastupdate = off)',
    ],
  },
  { version: 21, name: 'versions of agents', build: (db) => buildAgentVersions(db, jsonField) },
  { version: 22, name: 'feedback on runs', build: buildFeedbackTables },
  { version: 23, name: 'what-ifs', build: buildWhatIfTables },
]

/**
 * Readers of the journal go on behind the greatest number they have seen. So a number may not become readable after a
 * greater one: whoever numbers holds a lock until his transaction has ended. A trigger before the statement takes it
 * before the first number is taken, whichever way an event comes in.
 */
function buildJournalNumbers(db: Kysely<RuntimeTables>, schema: string): readonly string[] {
  const lock = sql.raw(String(toLockNumber(schema, 'journal numbers')))
  return [
    sql`create function lock_journal_numbers() returns trigger language plpgsql as $body$
      begin
        perform pg_advisory_xact_lock(${lock});
        return null;
      end
    $body$`,
    sql`create trigger journal_numbers before insert on journal
      for each statement execute function lock_journal_numbers()`,
  ].map((statement) => statement.compile(db).sql)
}

/**
 * The words of memories, split already (`toWords`), with their places, and what searches filter by. Without
 * `fastupdate` no search pays for the writes before it.
 */
function buildMemorySearch(db: Kysely<RuntimeTables>): readonly string[] {
  return [
    sql`alter table memories add column lexemes tsvector not null`,
    sql`create index memories_lexemes on memories using gin (lexemes) with (fastupdate = off)`,
    sql`insert into memory_totals (texts, words) values (0, 0)`,
  ].map((statement) => statement.compile(db).sql)
}

/** See `createPostgresRunWords`. Writes are many and searches few: the index takes them in when it is searched. */
const runSearch = [
  `create table run_words (
    seq bigint primary key references runs (seq) on delete cascade,
    words tsvector not null
  )`,
  'create index run_words_words on run_words using gin (words)',
]

/**
 * Newest version of the Postgres schema that this release supports: the largest `version` in the table `migrations`.
 */
export const postgresSchemaVersion: number = Math.max(...postgresMigrations.map(({ version }) => version))
