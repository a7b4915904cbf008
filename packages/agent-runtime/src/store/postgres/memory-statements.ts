import type { Kysely, Selectable } from 'kysely'
import { sql } from 'kysely'
import { compileStatement, toCompilable } from '@homeward/kit/sql'
import { createMemoryRemovals } from '../sql/memories/memory-removals.ts'
import type { MemoryRow } from '../sql/memories/memory-row.ts'
import type { MemoriesTable, RuntimeTables } from '../sql/schema.ts'
import type { VectorRow } from '../sql/search/vector-search.ts'
import { createWordReads } from './word-reads.ts'

type InsertArgs = Omit<Selectable<MemoriesTable>, 'seq'> & { lexemes: string }

interface ListArgs {
  before: number
  now: string
  limit: number
}

interface MatchArgs {
  match: string
  now: string
  limit: number
}

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
    ...createWordReads<MemoryRow>(db, {
      table: 'memories',
      columns: sql`seq, memory, words`,
      isFound: alive,
    }),
    byId: compileStatement<{ id: string }, Pick<MemoriesTable, 'memory'>>('read', ({ id }) =>
      db.selectFrom('memories').select('memory').where('id', '=', id),
    ),
    bySeq: compileStatement<{ seqs: readonly number[] }, MemoryRow>('read', ({ seqs }) =>
      toCompilable(
        db,
        sql<MemoryRow>`select seq, memory, words from memories where seq = any(${seqs}::bigint[])`,
      ),
    ),
    listed: compileStatement<ListArgs, MemoryRow>('read', ({ before, now, limit }) =>
      toCompilable(
        db,
        sql<MemoryRow>`select seq, memory, words from memories where seq < ${before} and ${alive(now)}
          order by seq desc limit ${limit}`,
      ),
    ),
    listedMatching: compileStatement<ListArgs & { match: string }, MemoryRow>(
      'read',
      ({ match, before, now, limit }) =>
        toCompilable(
          db,
          sql<MemoryRow>`select seq, memory, words from memories where lexemes @@ ${match}::tsquery
            and seq < ${before} and ${alive(now)} order by seq desc limit ${limit}`,
        ),
    ),
    vectors: compileStatement<ListArgs, VectorRow>('read', ({ before, now, limit }) =>
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
