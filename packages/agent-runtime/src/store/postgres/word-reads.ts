import { compileStatement, toCompilable } from '@homeward/kit/sql'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { RuntimeTables } from '../sql/schema.ts'
import { compileCorpusTotals, type SearchedTable } from '../sql/search/corpus-totals.ts'

/** A table whose column `lexemes` is searched, and what of its rows is read. */
interface WordIndex {
  readonly table: SearchedTable
  readonly columns: RawBuilder<unknown>
  /** Which rows are found. */
  isFound(now: string): RawBuilder<unknown>
}

interface MatchArgs {
  match: string
  now: string
  limit: number
}

interface BestArgs extends MatchArgs {
  /** `tsquery` of each word, and how much it tells. */
  words: readonly string[]
  rarities: readonly number[]
  /** Words of a text on average. */
  average: number
}

/** Texts, the newest, that are looked through for common words. */
const newestTexts = 20_000

/** Statements by which words of an index are found. */
export function createWordReads<Row>(db: Kysely<RuntimeTables>, index: WordIndex) {
  const { table, columns, isFound } = index
  const from = sql.table(table)
  return {
    totals: compileCorpusTotals(db, table),
    /** In how many texts each lexeme is, in their order. */
    countTexts: compileStatement<{ queries: readonly string[] }, { texts: number }>('read', ({ queries }) =>
      toCompilable(
        db,
        sql<{ texts: number }>`select (select count(*) from ${from} where lexemes @@ query::tsquery) as texts
          from unnest(${queries}::text[]) with ordinality as asked (query, place) order by place`,
      ),
    ),
    // `ts_rank` of one word grows with its repeats, less and less, as BM25 does; what it leaves out is what the other
    // factors bring in. The exact score is worked out afterwards, for the few that come first here.
    best: compileStatement<BestArgs, Row>('read', ({ match, now, words, rarities, average, limit }) =>
      toCompilable(
        db,
        sql<Row>`select ${columns} from ${from}
          where lexemes @@ ${match}::tsquery and ${isFound(now)}
          order by (
            select sum(rarity * ts_rank('{1,1,1,1}', lexemes, query::tsquery))
            from unnest(${words}::text[], ${rarities}::float8[]) as asked (query, rarity)
          ) / (1.3 + 0.9 * words / ${average}::float8) desc, seq desc
          limit ${limit}`,
      ),
    ),
    // Of the newest texts alone: where those that match are old, Postgres would walk all the way back to them.
    newest: compileStatement<MatchArgs, Row>('read', ({ match, now, limit }) =>
      toCompilable(
        db,
        sql<Row>`select ${columns}
          from (select * from ${from} order by seq desc limit ${sql.lit(newestTexts)}) as newest
          where lexemes @@ ${match}::tsquery and ${isFound(now)} order by seq desc limit ${limit}`,
      ),
    ),
    // Where the index leads, until there are enough. The subquery hides the question from the planner: thinking that
    // most texts match, it would read the table from its start until it met them.
    any: compileStatement<MatchArgs, Row>('read', ({ match, now, limit }) =>
      toCompilable(
        db,
        sql<Row>`select ${columns} from ${from}
          where lexemes @@ (select ${match}::tsquery) and ${isFound(now)} limit ${limit}`,
      ),
    ),
  }
}

/** See {@link createWordReads}. */
export type WordReads<Row> = ReturnType<typeof createWordReads<Row>>
