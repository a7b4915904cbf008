import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { compileStatement } from '@homeward/kit/sql'
import type { Corpus } from '../../ranking/bm25.ts'
import type { RuntimeTables } from '../schema.ts'

/** All texts of an index together. */
export interface CorpusTotals extends Corpus {
  /** Number of the newest text: it grows with every write, also where as many go as come. */
  readonly newest: number
}

/** What is searched, and the table with the sums over it. */
export type SearchedTable = 'memories' | 'document_chunks'
const totalsOf = { memories: 'memory_totals', document_chunks: 'chunk_totals' } as const

/** Statement that reads {@link CorpusTotals}. */
export function compileCorpusTotals(db: Kysely<RuntimeTables>, table: SearchedTable) {
  return compileStatement<object, CorpusTotals>('read', () =>
    db
      .selectFrom(totalsOf[table])
      .select([
        'texts',
        'words',
        sql<number>`coalesce((select max(seq) from ${sql.table(table)}), 0)`.as('newest'),
      ]),
  )
}

/** Statement that adds to the sums. */
export function compileAddTotals(db: Kysely<RuntimeTables>, table: SearchedTable) {
  return compileStatement<{ texts: number; words: number }, unknown>('write', ({ texts, words }) =>
    db
      .updateTable(totalsOf[table])
      .set({ texts: sql<number>`texts + ${texts}`, words: sql<number>`words + ${words}` }),
  )
}
