import { compileStatement } from '@homeward/kit/sql'
import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { ChunkWrite, FoundChunk } from '../../ports/document-store.ts'
import { toWords } from '../../ranking/to-words.ts'
import type { RuntimeTables } from '../schema.ts'
import type { RowShape, SearchRow } from '../search/rank-rows.ts'
import type { VectorRow } from '../search/vector-search.ts'
import type { DocumentChunksTable } from './document-tables.ts'
import type { DocumentRow } from './document-statements.ts'

/** A chunk that an index found. */
export interface ChunkRow
  extends
    SearchRow,
    Pick<
      DocumentChunksTable,
      'document_id' | 'collection_id' | 'user_id' | 'place' | 'name' | 'page' | 'heading' | 'text'
    > {}

/** A chunk without its score, and what it is filtered by. */
export type ChunkItem = Omit<FoundChunk, 'score'> & {
  readonly collectionId: string
  readonly userId: string | undefined
}

/** Columns of a {@link ChunkRow}. */
const columns = [
  'seq',
  'document_id',
  'collection_id',
  'user_id',
  'place',
  'name',
  'page',
  'heading',
  'text',
  'words',
] as const

/** The same for a statement that is written by hand: the index of words has columns of these names too. */
export const chunkColumns = (prefix: '' | 'document_chunks.') =>
  sql.raw(columns.map((name) => prefix + name).join(', '))

/** Chunks of documents that are ready. */
export const isReady = () =>
  sql`exists (select 1 from documents where documents.id = document_id and status = 'ready')`

/** How chunks are read. A document is found by its name too. */
export const chunkShape: RowShape<ChunkRow, ChunkItem> = {
  toItem: (row) => ({
    documentId: row.document_id,
    collectionId: row.collection_id,
    userId: row.user_id ?? undefined,
    name: row.name,
    place: row.place,
    text: row.text,
    ...(row.page !== null && { page: row.page }),
    ...(row.heading !== null && { heading: row.heading }),
  }),
  textOf: ({ name, place, heading = '', text }) => `${place === 0 ? name : ''}\n${heading}\n${text}`,
}

/** The row of a new chunk, and the words that it is found by. */
export function toChunkRow(document: DocumentRow, chunk: ChunkWrite['chunks'][number]) {
  const { id: document_id, collection_id, user_id, name } = document
  const { place, text, page = null, heading = null, embedded } = chunk
  const words = toWords(chunkShape.textOf({ ...chunk, documentId: '', collectionId: '', userId: '', name }))
  const row = { document_id, collection_id, user_id, place, name, page, heading, text, words: words.length }
  const vector = embedded?.embedding
  return {
    row: {
      ...row,
      embedding_model: embedded?.embeddingModel ?? null,
      embedding: vector === undefined ? null : new Uint8Array(vector.slice().buffer),
    },
    words,
  }
}

/** See {@link toChunkRow}. */
export type NewChunkRow = ReturnType<typeof toChunkRow>['row']

/** How many chunks one write removes. */
export const chunksAtOnce = 100

/** Statements on chunks that are the same whatever the database. */
export function createChunkStatements(db: Kysely<RuntimeTables>) {
  interface VectorArgs {
    readonly collectionId: string
    readonly userId: string
    readonly before: number
    readonly limit: number
  }
  const vectors = ({ collectionId, before, limit }: VectorArgs) =>
    db
      .selectFrom('document_chunks')
      .select(['seq', 'embedding_model as model', sql<Uint8Array>`embedding`.as('embedding')])
      .where('collection_id', '=', collectionId)
      .where('embedding', 'is not', null)
      .where('seq', '<', before)
      .where(sql<boolean>`${isReady()}`)
      .orderBy('seq', 'desc')
      .limit(limit)
  return {
    remove: compileStatement<{ documentId: string }, { seq: number; words: number }>(
      'write',
      ({ documentId }) =>
        db
          .deleteFrom('document_chunks')
          .where('seq', 'in', (eb) =>
            eb
              .selectFrom('document_chunks')
              .select('seq')
              .where('document_id', '=', documentId)
              .limit(sql.lit(chunksAtOnce)),
          )
          .returning(['seq', 'words']),
    ),
    bySeq: compileStatement<{ seq: number }, ChunkRow>('read', ({ seq }) =>
      db.selectFrom('document_chunks').select(columns).where('seq', '=', seq),
    ),
    vectors: compileStatement<VectorArgs, VectorRow>('read', vectors),
    vectorsOfUser: compileStatement<VectorArgs, VectorRow>('read', (args) =>
      vectors(args).where('user_id', '=', args.userId),
    ),
  }
}
