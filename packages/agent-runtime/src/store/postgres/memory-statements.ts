import type { Kysely, Selectable } from 'kysely'
import { sql } from 'kysely'
import { compileStatement, toCompilable } from '@homeward/kit/sql'
import type { MemoryRow } from '../sql/memories/memory-ranking.ts'
import { createMemoryRemovals } from '../sql/memories/memory-removals.ts'
import { compileMemoryTotals } from '../sql/memories/memory-totals.ts'
import type { VectorRow } from '../sql/memories/memory-vectors.ts'
import type { MemoriesTable, RuntimeTables } from '../sql/schema.ts'

type InsertArgs = Omit<Selectable<MemoriesTable>, 'seq'> & { lexemes: string }

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

/** Statements that change memories. */
export function createMemoryWrites(db: Kysely<RuntimeTables>) {
  return {
    ...createMemoryRemovals(db),
    insert: compileStatement<InsertArgs, unknown>('write', (row) =>
      toCompilable(
        db,
        sql`insert into memories (id, memory, words, expires_at, embedding, embedding_model, lexemes) values
          (${row.id}, ${row.memory}, ${row.words}, ${row.expires_at}, ${row.embedding}, ${row.embedding_model},
            ${row.lexemes}::tsvector)`,
      ),
    ),
    // By a subquery, as with `any`.
    listMatching: compileStatement<{ match: string }, Pick<MemoryRow, 'seq' | 'memory'>>(
      'read',
      ({ match }) =>
        toCompilable(
          db,
          sql<Pick<MemoryRow, 'seq' | 'memory'>>`select seq, memory from memories
          where lexemes @@ (select ${match}::tsquery)`,
        ),
    ),
    replace: compileStatement<{ seq: number; memory: string; lexemes: string }, unknown>(
      'write',
      ({ seq, memory, lexemes }) =>
        toCompilable(
          db,
          sql`update memories set memory = ${memory}, lexemes = ${lexemes}::tsvector where seq = ${seq}`,
        ),
    ),
  }
}

/** Statements that find memories. */
export function createMemoryReads(db: Kysely<RuntimeTables>) {
  const alive = (now: string) => sql`(expires_at is null or expires_at > ${now})`
  return {
    totals: compileMemoryTotals(db),
    byId: compileStatement<{ id: string }, Pick<MemoriesTable, 'memory'>>('read', ({ id }) =>
      db.selectFrom('memories').select('memory').where('id', '=', id),
    ),
    /** In how many texts each lexeme is, in their order. */
    countTexts: compileStatement<{ queries: readonly string[] }, { texts: number }>('read', ({ queries }) =>
      toCompilable(
        db,
        sql<{ texts: number }>`select (select count(*) from memories where lexemes @@ query::tsquery) as texts
          from unnest(${queries}::text[]) with ordinality as asked (query, place) order by place`,
      ),
    ),
    // `ts_rank` of one word grows with its repeats, less and less, as BM25 does; what it leaves out is what the other
    // factors bring in. The exact score is worked out afterwards, for the few that come first here.
    best: compileStatement<BestArgs, MemoryRow>('read', ({ match, now, words, rarities, average, limit }) =>
      toCompilable(
        db,
        sql<MemoryRow>`select seq, memory, words from memories
          where lexemes @@ ${match}::tsquery and ${alive(now)}
          order by (
            select sum(rarity * ts_rank('{1,1,1,1}', lexemes, query::tsquery))
            from unnest(${words}::text[], ${rarities}::float8[]) as asked (query, rarity)
          ) / (1.3 + 0.9 * words / ${average}::float8) desc, seq desc
          limit ${limit}`,
      ),
    ),
    // Of the newest texts alone: where those that match are old, Postgres would walk all the way back to them.
    newest: compileStatement<MatchArgs, MemoryRow>('read', ({ match, now, limit }) =>
      toCompilable(
        db,
        sql<MemoryRow>`select seq, memory, words
          from (select * from memories order by seq desc limit ${sql.lit(newestTexts)}) as newest
          where lexemes @@ ${match}::tsquery and ${alive(now)} order by seq desc limit ${limit}`,
      ),
    ),
    // Where the index leads, until there are enough. The subquery hides the question from the planner: thinking that
    // most texts match, it would read the table from its start until it met them.
    any: compileStatement<MatchArgs, MemoryRow>('read', ({ match, now, limit }) =>
      toCompilable(
        db,
        sql<MemoryRow>`select seq, memory, words from memories
          where lexemes @@ (select ${match}::tsquery) and ${alive(now)} limit ${limit}`,
      ),
    ),
    bySeq: compileStatement<{ seqs: readonly number[] }, MemoryRow>('read', ({ seqs }) =>
      toCompilable(
        db,
        sql<MemoryRow>`select seq, memory, words from memories where seq = any(${seqs}::bigint[])`,
      ),
    ),
    vectors: compileStatement<{ before: number; now: string; limit: number }, VectorRow>(
      'read',
      ({ before, now, limit }) =>
        toCompilable(
          db,
          sql<VectorRow>`select seq, embedding, embedding_model as model from memories where embedding is not null
            and seq < ${before} and ${alive(now)} order by seq desc limit ${limit}`,
        ),
    ),
    // By a subquery, as with `any`.
    vectorSeqs: compileStatement<{ match: string; now: string }, { seq: number }>('read', ({ match, now }) =>
      toCompilable(
        db,
        sql<{ seq: number }>`select seq from memories where embedding is not null
          and lexemes @@ (select ${match}::tsquery) and ${alive(now)}`,
      ),
    ),
    vectorsBySeq: compileStatement<{ seqs: readonly number[] }, VectorRow>('read', ({ seqs }) =>
      toCompilable(
        db,
        sql<VectorRow>`select seq, embedding, embedding_model as model from memories
          where seq = any(${seqs}::bigint[]) and embedding is not null order by seq desc`,
      ),
    ),
    matchingVectors: compileStatement<MatchArgs & { before: number }, VectorRow>(
      'read',
      ({ match, before, now, limit }) =>
        toCompilable(
          db,
          sql<VectorRow>`select seq, embedding, embedding_model as model from memories where embedding is not null
          and lexemes @@ ${match}::tsquery and seq < ${before} and ${alive(now)} order by seq desc limit ${limit}`,
        ),
    ),
  }
}

/** See {@link createMemoryReads}. */
export type MemoryReads = ReturnType<typeof createMemoryReads>
