import type { Kysely } from 'kysely'
import { buildOnce, type Migration } from '@homeward/kit/sql'
import { buildAgentVersions } from '../sql/agent-plans.ts'
import { buildWhatIfTables } from '../sql/runs/what-if-plans.ts'
import { buildFeedbackTables } from '../sql/runs/feedback-plans.ts'
import { buildInputTables } from '../sql/runs/input-plans.ts'
import { addLinkColumns } from '../sql/channels/link-plans.ts'
import { giveRememberedCallsToUsers, type JsonField } from '../sql/runs/remembered-plans.ts'
import { openRunsIndex } from '../sql/runs/run-tables.ts'
import { buildResponseTables } from '../sql/runs/response-plans.ts'
import { addSignalDelivery, buildSignalTables } from '../sql/runs/signal-plans.ts'
import type { RuntimeTables } from '../sql/schema.ts'
import { buildDocumentTables } from '../sql/documents/document-tables.ts'
import { buildTables } from '../sql/tables.ts'
import { buildTriggerTables } from '../sql/triggers/trigger-plans.ts'
import { moveApprovals } from '../sql/runs/wait-plans.ts'
import { addTurns, addUserColumns } from '../sql/user-columns.ts'
import { buildWaitTriggers, buildWebhookTriggers } from '../sql/webhooks/webhook-triggers.ts'

const jsonField: JsonField = (column, field) => `json_extract(${column}, '$.${field}')`

/** All steps, oldest first. Earlier versions were never released. */
export const sqliteMigrations: readonly Migration<RuntimeTables>[] = [
  {
    version: 10,
    name: 'everything of the first release',
    build: (db) => [
      ...buildOnce(db, toTables),
      ...runIndex,
      ...turns,
      ...memorySearch,
      runSearch,
      ...buildWebhookTriggers('sqlite'),
    ],
  },
  {
    version: 11,
    name: 'remembered decisions of each user',
    build: () => giveRememberedCallsToUsers(jsonField),
  },
  { version: 12, name: 'triggers', build: (db) => buildTriggerTables(db) },
  {
    version: 13,
    name: 'users of runs, tasks and conversations',
    build: () => addUserColumns(jsonField),
  },
  {
    version: 14,
    name: 'waits of every kind',
    build: (db) => [
      ...moveApprovals(db, { field: jsonField, quote: (column) => `json_quote(${column})` }),
      ...buildWaitTriggers('sqlite'),
    ],
  },
  { version: 15, name: 'open runs of a conversation', build: () => [openRunsIndex] },
  { version: 16, name: 'turns of users', build: addTurns },
  { version: 17, name: 'messages to runs', build: (db) => buildInputTables(db) },
  { version: 18, name: 'signals', build: (db) => buildSignalTables(db) },
  { version: 19, name: 'delivery of signals', build: (db) => addSignalDelivery(db) },
  { version: 20, name: 'stored responses', build: (db) => buildResponseTables(db) },
  { version: 21, name: 'links of senders', build: addLinkColumns },
  { version: 22, name: 'documents', build: (db) => [...buildDocumentTables(db), ...chunkSearch] },
  { version: 23, name: 'versions of agents', build: (db) => buildAgentVersions(db, jsonField) },
  { version: 24, name: 'feedback on runs', build: buildFeedbackTables },
  { version: 25, name: 'what-ifs', build: buildWhatIfTables },
]

const toTables = (db: Kysely<RuntimeTables>) => buildTables(db).map((statement) => statement.compile().sql)

/** See `createRunIndex`. */
const runIndex = [
  'alter table journal add column opens_block integer',
  'create index journal_run on journal (run_id, seq) where opens_block = 1',
]

/** A turn's messages in one row: each row of its own cost an entry in two indexes too. */
const turns = [
  `create table turn_messages (
    seq integer primary key,
    conversation_id text not null references conversations (id) on delete cascade,
    run_id text not null,
    first_seq integer not null,
    count integer not null,
    created_at text not null,
    messages text not null
  )`,
  'create unique index turn_messages_place on turn_messages (conversation_id, first_seq)',
  'create unique index turn_messages_run on turn_messages (conversation_id, run_id)',
]

const memorySearch = [
  `create virtual table memory_words using fts5(
    scope, text, content = '', contentless_delete = 1, tokenize = 'ascii')`,
  `insert into memory_words (memory_words, rank) values ('rank', 'bm25(0.0, 1.0)')`,
  `create virtual table memory_word_counts using fts5vocab(memory_words, 'row')`,
  'insert into memory_totals (texts, words) values (0, 0)',
]

const chunkSearch = [
  `create virtual table chunk_words using fts5(
    scope, text, content = '', contentless_delete = 1, tokenize = 'ascii')`,
  `insert into chunk_words (chunk_words, rank) values ('rank', 'bm25(0.0, 1.0)')`,
  `create virtual table chunk_word_counts using fts5vocab(chunk_words, 'row')`,
]

/** See `createSqliteRunWords`. */
const runSearch = `create virtual table run_words using fts5(
  words, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii')`

/** Newest version of the SQLite schema that this release supports: the largest `version` in the table `migrations`. */
export const sqliteSchemaVersion: number = Math.max(...sqliteMigrations.map(({ version }) => version))
