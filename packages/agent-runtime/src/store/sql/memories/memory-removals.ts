import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { compileStatement } from '@homeward/kit/sql'
import type { RuntimeTables } from '../schema.ts'
import { compileAddTotals } from '../search/corpus-totals.ts'

/** A memory that was removed: its number, and how many words it had. */
export interface RemovedMemory {
  readonly seq: number
  readonly words: number
}

/** How many expired memories a write removes at the most. */
const sweptAtOnce = 16

/** Statements that remove memories, and keep count of all that there are. */
export function createMemoryRemovals(db: Kysely<RuntimeTables>) {
  return {
    delete: compileStatement<{ id: string }, RemovedMemory>('write', ({ id }) =>
      db.deleteFrom('memories').where('id', '=', id).returning(['seq', 'words']),
    ),
    deleteExpired: compileStatement<{ now: string }, RemovedMemory>('write', ({ now }) =>
      db
        .deleteFrom('memories')
        .where(
          'seq',
          'in',
          (eb) =>
            eb
              .selectFrom('memories')
              .select('seq')
              .where('expires_at', '<=', now)
              .orderBy('expires_at')
              .limit(sql.lit(sweptAtOnce)), // of a parameter Postgres would fear the worst, and read the whole table
        )
        .returning(['seq', 'words']),
    ),
    addTotals: compileAddTotals(db, 'memories'),
  }
}
