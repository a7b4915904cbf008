import {
  all,
  buildOnce,
  change,
  compileStatement,
  rememberStatements,
  type Statement,
  toCompilable,
} from '@homeward/kit/sql'
import { type Compilable, type Kysely, sql } from 'kysely'
import type { FeedbackKey, StoredFeedback } from '../../ports/feedback-store.ts'
import type { Plan } from '../plan.ts'
import type { RuntimeTables } from '../schema.ts'
import { places, toGroups } from '../to-groups.ts'

/** Feedback on runs. */
interface RunFeedbackTable {
  run_seq: number
  /** Empty for callers without a user. */
  user_id: string
  rating: StoredFeedback['rating']
  comment: string | null
  created_at: string
}

/** The table of feedback. */
export interface FeedbackTables {
  run_feedback: RunFeedbackTable
}

/** Makes the table of feedback. */
export function buildFeedbackTables({ schema }: Kysely<RuntimeTables>): readonly Compilable[] {
  return [
    schema
      .createTable('run_feedback')
      .addColumn('run_seq', 'integer', (column) =>
        column.notNull().references('runs.seq').onDelete('cascade'),
      )
      .addColumn('user_id', 'text', (column) => column.notNull())
      .addColumn('rating', 'text', (column) => column.notNull())
      .addColumn('comment', 'text')
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('run_feedback_pk', ['run_seq', 'user_id']),
    schema.createIndex('run_feedback_rating').on('run_feedback').columns(['rating', 'run_seq']),
  ]
}

/** The verbs of `FeedbackStore` as plans. */
export function createFeedbackPlans(db: Kysely<RuntimeTables>) {
  const statements = buildOnce(db, createStatements)
  const listOf = rememberStatements(({ count }: { readonly count: number }) => compileList(db, count))
  return {
    *saveFeedback({ runId, userId = '', rating, comment, createdAt }: StoredFeedback): Plan<boolean> {
      const row = { runId, userId, rating, comment: comment ?? null, createdAt }
      return (yield* change(statements.save, row)) > 0
    },
    *deleteFeedback({ runId, userId = '' }: FeedbackKey): Plan<boolean> {
      return (yield* change(statements.remove, { runId, userId })) > 0
    },
    *listFeedback(runIds: readonly string[]): Plan<readonly StoredFeedback[]> {
      const rows: FeedbackRow[] = []
      for (const ids of toGroups(runIds)) rows.push(...(yield* all(listOf({ count: ids.length }), { ids })))
      return rows.map(({ userId, comment, ...row }) => ({
        ...row,
        ...(userId !== '' && { userId }),
        ...(comment !== null && { comment }),
      }))
    },
  }
}

interface FeedbackRow extends Pick<StoredFeedback, 'runId' | 'rating' | 'createdAt'> {
  readonly userId: string
  readonly comment: string | null
}

function createStatements(db: Kysely<RuntimeTables>) {
  return {
    save: compileStatement<FeedbackRow, unknown>('write', ({ runId, userId, rating, comment, createdAt }) =>
      toCompilable(
        db,
        sql`insert into run_feedback (run_seq, user_id, rating, comment, created_at)
          select seq, cast(${userId} as text), cast(${rating} as text), cast(${comment} as text), cast(${createdAt} as text)
          from runs where id = ${runId}
          on conflict (run_seq, user_id) do update
          set rating = excluded.rating, comment = excluded.comment, created_at = excluded.created_at`,
      ),
    ),
    remove: compileStatement<{ runId: string; userId: string }, unknown>('write', ({ runId, userId }) =>
      db
        .deleteFrom('run_feedback')
        .where('user_id', '=', userId)
        .where('run_seq', '=', (eb) => eb.selectFrom('runs').select('seq').where('id', '=', runId)),
    ),
  }
}

/** Feedback on so many runs. */
function compileList(
  db: Kysely<RuntimeTables>,
  count: number,
): Statement<{ readonly ids: readonly string[] }, FeedbackRow> {
  const query = db
    .selectFrom('runs')
    .innerJoin('run_feedback as given', 'given.run_seq', 'runs.seq')
    .select(['runs.id as runId', 'given.user_id as userId', 'rating', 'comment'])
    .select('given.created_at as createdAt')
    .where('runs.id', 'in', places(count))
    .orderBy('given.created_at')
    .orderBy('given.user_id')
    .compile()
  return { kind: 'read', sql: query.sql, bind: ({ ids }) => ids }
}
