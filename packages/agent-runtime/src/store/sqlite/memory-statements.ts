import type { Kysely, Selectable } from 'kysely'
import { sql } from 'kysely'
import { compileStatement, toCompilable } from '@homeward/kit/sql'
import type { RemovedMemory } from '../sql/memories/memory-removals.ts'
import { createMemoryRemovals } from '../sql/memories/memory-removals.ts'
import type { MemoryRow } from '../sql/memories/memory-row.ts'
import type { MemoriesTable, RuntimeTables } from '../sql/schema.ts'
import type { VectorRow } from '../sql/search/vector-search.ts'
import { createWordReads } from './word-reads.ts'

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
    insert: compileStatement<Omit<Selectable<MemoriesTable>, 'seq'>, { seq: number }>('write', (row) =>
      db
        .insertInto('memories')
        .values({
          id: row.id,
          memory: row.memory,
          words: row.words,
          expires_at: row.expires_at,
          embedding: row.embedding,
          embedding_model: row.embedding_model,
        })
        .returning('seq'),
    ),
    insertWords: compileStatement<{ seq: number; scope: string; text: string }, unknown>('write', (row) =>
      toCompilable(
        db,
        sql`insert into memory_words (rowid, scope, text) values (${row.seq}, ${row.scope}, ${row.text})`,
      ),
    ),
    listMatching: compileStatement<{ match: string; limit: number }, Pick<MemoryRow, 'seq' | 'memory'>>(
      'read',
      ({ match, limit }) =>
        toCompilable(
          db,
          sql<Pick<MemoryRow, 'seq' | 'memory'>>`select seq, memory from memory_words
            cross join memories on memories.seq = memory_words.rowid where memory_words match ${match} limit ${limit}`,
        ),
    ),
    replace: compileStatement<{ seq: number; memory: string }, unknown>('write', ({ seq, memory }) =>
      db.updateTable('memories').set({ memory }).where('seq', '=', seq),
    ),
    deleteWords: compileStatement<RemovedMemory, unknown>('write', ({ seq }) =>
      toCompilable(db, sql`delete from memory_words where rowid = ${seq}`),
    ),
  }
}

/** Statements that find memories. */
export function createMemoryReads(db: Kysely<RuntimeTables>) {
  // A cross join: the index of words first, then the memories that it gives.
  const matching = sql`from memory_words cross join memories on memories.seq = memory_words.rowid
    where memory_words match `
  const alive = (now: string) => sql`(expires_at is null or expires_at > ${now})`
  return {
    ...createWordReads<MemoryRow>(db, {
      table: 'memories',
      words: 'memory_words',
      counts: 'memory_word_counts',
      columns: sql`seq, memory, words`,
      isFound: alive,
    }),
    byId: compileStatement<{ id: string }, Pick<MemoriesTable, 'memory'>>('read', ({ id }) =>
      db.selectFrom('memories').select('memory').where('id', '=', id),
    ),
    bySeq: compileStatement<{ seq: number }, MemoryRow>('read', ({ seq }) =>
      db.selectFrom('memories').select(['seq', 'memory', 'words']).where('seq', '=', seq),
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
          sql<MemoryRow>`select seq, memory, words ${matching} ${match} and memory_words.rowid < ${before}
            and ${alive(now)} order by memory_words.rowid desc limit ${limit}`,
        ),
    ),
    vectors: compileStatement<ListArgs, VectorRow>('read', ({ before, now, limit }) =>
      toCompilable(
        db,
        sql<VectorRow>`select seq, embedding, embedding_model as model from memories where embedding is not null
            and seq < ${before} and ${alive(now)} order by seq desc limit ${limit}`,
      ),
    ),
    matchingVectors: compileStatement<MatchArgs & { before: number }, VectorRow>(
      'read',
      ({ match, before, now, limit }) =>
        toCompilable(
          db,
          sql<VectorRow>`select seq, embedding, embedding_model as model ${matching} ${match} and memory_words.rowid < ${before}
            and embedding is not null and ${alive(now)} order by memory_words.rowid desc limit ${limit}`,
        ),
    ),
  }
}
