import { all, buildOnce, change, compileStatement, each, first, toCompilable } from '@homeward/kit/sql'
import { type Kysely, sql } from 'kysely'
import type { ChunkQuery } from '../ports/document-store.ts'
import {
  type ChunkRow,
  chunkColumns,
  chunksAtOnce,
  chunkShape,
  createChunkStatements,
  isReady,
  type NewChunkRow,
  toChunkRow,
} from '../sql/documents/chunk-rows.ts'
import { createChunkSearch } from '../sql/documents/chunk-search.ts'
import type { ChunkPlans } from '../sql/documents/document-plans.ts'
import type { RuntimeTables } from '../sql/schema.ts'
import { compileAddTotals } from '../sql/search/corpus-totals.ts'
import { toScopeWords } from './memory-words.ts'
import { createWordReads } from './word-reads.ts'
import { createWordSearch } from './word-search.ts'

/** Chunks of documents as plans, over FTS5. */
export function createSqliteChunkPlans(
  db: Kysely<RuntimeTables>,
  options: { readonly maxVectors: number },
): ChunkPlans {
  const statements = buildOnce(db, createStatements)
  const searchWords = createWordSearch({
    ...chunkShape,
    reads: statements,
    scopeOf: ({ collectionId, userId }: ChunkQuery) => toScopeWords({ collectionId, userId }),
    scopeOfItem: ({ collectionId, userId }) => toScopeWords({ collectionId, userId }),
  })
  return {
    *insertChunks(document, chunks) {
      let words = 0
      for (const chunk of chunks) {
        const { row, words: found } = toChunkRow(document, chunk)
        const inserted = yield* first(statements.insert, row)
        const scope = toScopeWords({
          collectionId: document.collection_id,
          userId: document.user_id ?? undefined,
        })
        const args = { seq: inserted?.seq ?? 0, scope: scope.join(' '), text: found.join(' ') }
        yield* all(statements.insertWords, args)
        words += found.length
      }
      yield* change(statements.addTotals, { texts: chunks.length, words })
    },
    *removeChunks(documentId) {
      const removed = yield* all(statements.remove, { documentId })
      if (removed.length === 0) return false
      yield* each(statements.deleteWords, removed)
      const words = removed.reduce((sum, row) => sum + row.words, 0)
      yield* change(statements.addTotals, { texts: -removed.length, words: -words })
      return removed.length === chunksAtOnce
    },
    searchDocuments: createChunkSearch(statements, searchWords, options),
  }
}

function createStatements(db: Kysely<RuntimeTables>) {
  return {
    ...createChunkStatements(db),
    ...createWordReads<ChunkRow>(db, {
      table: 'document_chunks',
      words: 'chunk_words',
      counts: 'chunk_word_counts',
      columns: chunkColumns('document_chunks.'),
      isFound: isReady,
    }),
    addTotals: compileAddTotals(db, 'document_chunks'),
    insert: compileStatement<NewChunkRow, { seq: number }>('write', (row) =>
      db
        .insertInto('document_chunks')
        .values({
          document_id: row.document_id,
          collection_id: row.collection_id,
          user_id: row.user_id,
          place: row.place,
          name: row.name,
          page: row.page,
          heading: row.heading,
          text: row.text,
          words: row.words,
          embedding_model: row.embedding_model,
          embedding: row.embedding,
        })
        .returning('seq'),
    ),
    insertWords: compileStatement<{ seq: number; scope: string; text: string }, unknown>('write', (row) =>
      toCompilable(
        db,
        sql`insert into chunk_words (rowid, scope, text) values (${row.seq}, ${row.scope}, ${row.text})`,
      ),
    ),
    deleteWords: compileStatement<{ seq: number }, unknown>('write', ({ seq }) =>
      toCompilable(db, sql`delete from chunk_words where rowid = ${seq}`),
    ),
  }
}
