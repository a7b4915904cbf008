import { compileStatement, toCompilable } from '@homeward/kit/sql'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { RuntimeTables } from '../sql/schema.ts'
import { compileCorpusTotals, type SearchedTable } from '../sql/search/corpus-totals.ts'

/** A table with an index of its words, and what of its rows is read. */
interface WordIndex {
  readonly table: SearchedTable
  /** The index, by FTS5. */
  readonly words: string
  /** In how many texts each word is. */
  readonly counts: string
  readonly columns: RawBuilder<unknown>
  /** Which rows are found. */
  isFound(now: string): RawBuilder<unknown>
}

interface MatchArgs {
  readonly match: string
  readonly now: string
  readonly limit: number
}

/** Statements by which words of an index are found. */
export function createWordReads<Row>(db: Kysely<RuntimeTables>, index: WordIndex) {
  const { table, isFound } = index
  const words = sql.table(index.words)
  const select = (match: string, now: string) =>
    // A cross join: the index of words first, then the rows that it gives.
    sql`select ${index.columns} from ${words} cross join ${sql.table(table)}
      on ${sql.ref(`${table}.seq`)} = ${sql.ref(`${index.words}.rowid`)}
      where ${words} match ${match} and ${isFound(now)}`
  return {
    totals: compileCorpusTotals(db, table),
    countTexts: compileStatement<{ word: string }, { texts: number }>('read', ({ word }) =>
      toCompilable(
        db,
        sql<{ texts: number }>`select doc as texts from ${sql.table(index.counts)} where term = ${word}`,
      ),
    ),
    best: compileStatement<MatchArgs, Row>('read', ({ match, now, limit }) =>
      toCompilable(db, sql<Row>`${select(match, now)} order by ${sql.raw(index.words)}.rank limit ${limit}`),
    ),
    newest: compileStatement<MatchArgs, Row>('read', ({ match, now, limit }) =>
      toCompilable(
        db,
        sql<Row>`${select(match, now)} order by ${sql.raw(index.words)}.rowid desc limit ${limit}`,
      ),
    ),
  }
}

/** See {@link createWordReads}. */
export type WordReads<Row> = ReturnType<typeof createWordReads<Row>>
