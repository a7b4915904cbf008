import { all, buildOnce, change, compileStatement, each, toCompilable } from '@homeward/kit/sql'
import { type Kysely, sql } from 'kysely'
import type { ChunkQuery } from '../ports/document-store.ts'
import {
  chunkColumns,
  type ChunkRow,
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
import { toChunkScope, toLexemes } from './lexemes.ts'
import { createWordReads } from './word-reads.ts'
import { createWordSearch } from './word-search.ts'

/** Chunks of documents as plans, over the full-text index of Postgres. */
export function createPostgresChunkPlans(
  db: Kysely<RuntimeTables>,
  options: { readonly maxVectors: number },
): ChunkPlans {
  const statements = buildOnce(db, createStatements)
  const searchWords = createWordSearch({
    ...chunkShape,
    reads: statements,
    scopeOf: ({ collectionId, userId }: ChunkQuery) => toChunkScope(collectionId, userId),
  })
  return {
    *insertChunks(document, chunks) {
      const scope = toChunkScope(document.collection_id, document.user_id ?? undefined)
      const added = chunks.map((chunk) => toChunkRow(document, chunk))
      yield* each(
        statements.insert,
        added.map(({ row, words }) => ({ ...row, lexemes: toLexemes(scope, words) })),
      )
      const words = added.reduce((sum, { row }) => sum + row.words, 0)
      yield* change(statements.addTotals, { texts: added.length, words })
    },
    *removeChunks(documentId) {
      const removed = yield* all(statements.remove, { documentId })
      if (removed.length === 0) return false
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
      columns: chunkColumns(''),
      isFound: isReady,
    }),
    addTotals: compileAddTotals(db, 'document_chunks'),
    insert: compileStatement<NewChunkRow & { lexemes: string }, unknown>('write', (row) =>
      toCompilable(
        db,
        sql`insert into document_chunks (document_id, collection_id, user_id, place, name, page, heading, text, words,
            embedding_model, embedding, lexemes)
          values (${row.document_id}, ${row.collection_id}, ${row.user_id}, ${row.place}, ${row.name}, ${row.page},
            ${row.heading}, ${row.text}, ${row.words}, ${row.embedding_model}, ${row.embedding},
            ${row.lexemes}::tsvector)`,
      ),
    ),
  }
}
