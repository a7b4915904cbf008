import { buildOnce, change, compileStatement, first } from '@homeward/kit/sql'
import { type Compilable, type Generated, type Kysely, type Selectable, sql } from 'kysely'
import type { ResponseStore, StoredResponse } from '../../ports/response-store.ts'
import { fromJson } from '../json.ts'
import type { Plan } from '../plan.ts'
import type { RuntimeTables } from '../schema.ts'

/** Responses of the OpenAI-compatible interface. */
interface ResponsesTable {
  seq: Generated<number>
  id: string
  run_id: string
  agent_id: string
  user_id: string | null
  created_at: string
  /** JSON. */
  body: string
}

/** The table of responses. */
export interface ResponseTables {
  responses: ResponsesTable
}

type ResponseRow = Omit<Selectable<ResponsesTable>, 'seq'>

/** Makes the table of responses. */
export function buildResponseTables({ schema }: Kysely<RuntimeTables>): readonly Compilable[] {
  return [
    schema
      .createTable('responses')
      .addColumn('seq', 'integer', (column) => column.primaryKey())
      .addColumn('id', 'text', (column) => column.notNull().unique())
      .addColumn('run_id', 'text', (column) => column.notNull().references('runs.id').onDelete('cascade'))
      .addColumn('agent_id', 'text', (column) => column.notNull())
      .addColumn('user_id', 'text')
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull()),
    schema.createIndex('responses_run').on('responses').column('run_id'),
    schema.createIndex('responses_time').on('responses').column('created_at'),
  ]
}

/** Maximum number of old responses that a new one removes. */
const prunedAtOnce = 64

/** The verbs of `ResponseStore` as plans. */
export function createResponsePlans(db: Kysely<RuntimeTables>) {
  const statements = buildOnce(db, createResponseStatements)
  return {
    *saveResponse({ keptSince, ...response }: Parameters<ResponseStore['saveResponse']>[0]): Plan<void> {
      yield* change(statements.prune, { before: keptSince })
      yield* change(statements.remove, { id: response.id })
      yield* change(statements.insert, toRow(response))
    },

    *findResponse(id: string, keptSince: string): Plan<StoredResponse | undefined> {
      const row = yield* first(statements.find, { id, since: keptSince })
      return row && toResponse(row)
    },

    *deleteResponse(id: string): Plan<boolean> {
      return (yield* change(statements.remove, { id })) > 0
    },
  }
}

function createResponseStatements(db: Kysely<RuntimeTables>) {
  return {
    find: compileStatement<{ id: string; since: string }, ResponseRow>('read', ({ id, since }) =>
      db
        .selectFrom('responses')
        .select(['id', 'run_id', 'agent_id', 'user_id', 'created_at', 'body'])
        .where('id', '=', id)
        .where('created_at', '>=', since),
    ),
    insert: compileStatement<ResponseRow, unknown>('write', (row) =>
      db
        .insertInto('responses')
        .columns(['id', 'run_id', 'agent_id', 'user_id', 'created_at', 'body'])
        .expression(
          db
            .selectFrom('runs')
            .select([
              sql<string>`${row.id}`.as('id'),
              'id as run_id',
              sql<string>`${row.agent_id}`.as('agent_id'),
              sql<string | null>`${row.user_id}`.as('user_id'),
              sql<string>`${row.created_at}`.as('created_at'),
              sql<string>`${row.body}`.as('body'),
            ])
            .where('id', '=', row.run_id),
        ),
    ),
    remove: compileStatement<{ id: string }, unknown>('write', ({ id }) =>
      db.deleteFrom('responses').where('id', '=', id),
    ),
    // the limit is a literal: of a parameter Postgres would fear the worst
    prune: compileStatement<{ before: string }, unknown>('write', ({ before }) =>
      db.deleteFrom('responses').where(
        'seq',
        'in',
        sql<number>`(select seq from responses where created_at < ${before}
          order by created_at limit ${sql.lit(prunedAtOnce)})`,
      ),
    ),
  }
}

const toRow = ({ id, runId, agentId, userId, createdAt, body }: StoredResponse): ResponseRow => ({
  id,
  run_id: runId,
  agent_id: agentId,
  user_id: userId ?? null,
  created_at: createdAt,
  body: JSON.stringify(body),
})

const toResponse = (row: ResponseRow): StoredResponse => ({
  id: row.id,
  runId: row.run_id,
  agentId: row.agent_id,
  ...(row.user_id !== null && { userId: row.user_id }),
  createdAt: row.created_at,
  body: fromJson<StoredResponse['body']>(row.body),
})
