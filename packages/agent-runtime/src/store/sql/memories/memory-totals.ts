import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { compileStatement } from '@homeward/kit/sql'
import type { Corpus } from '../../ranking/bm25.ts'
import type { RuntimeTables } from '../schema.ts'

/** All memories together. */
export interface MemoryTotals extends Corpus {
  /** Number of the newest memory: it grows with every write, also where as many go as come. */
  readonly newest: number
}

/** Statement that reads {@link MemoryTotals}. */
export function compileMemoryTotals(db: Kysely<RuntimeTables>) {
  return compileStatement<object, MemoryTotals>('read', () =>
    db
      .selectFrom('memory_totals')
      .select(['texts', 'words', sql<number>`coalesce((select max(seq) from memories), 0)`.as('newest')]),
  )
}
