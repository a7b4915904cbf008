import type { Compilable, Generated, Kysely } from 'kysely'
import { sql } from 'kysely'
import type { StoredDocument } from '../../ports/document-store.ts'
import type { RuntimeTables } from '../schema.ts'

/** Collections of documents. */
interface CollectionsTable {
  id: string
  /** JSON of the whole collection. */
  collection: string
}

/** Documents, in the order of `seq`. */
export interface DocumentsTable {
  seq: Generated<number>
  id: string
  collection_id: string
  user_id: string | null
  name: string
  media_type: string
  bytes: number
  sha256: string
  /** JSON. */
  metadata: string | null
  status: StoredDocument['status']
  error: string | null
  chunks: number | null
  pages: number | null
  created_at: string
  attempts: number
  /** Who works on it, and until when nobody else may: both, or neither. */
  owner: string | null
  lease_until: string | null
}

/** Bytes of documents that were not read yet. */
interface DocumentPiecesTable {
  document_id: string
  place: number
  created_at: string
  // Last, so that a row is read without it.
  bytes: Uint8Array
}

/** Passages of documents. */
export interface DocumentChunksTable {
  seq: Generated<number>
  document_id: string
  collection_id: string
  user_id: string | null
  place: number
  name: string
  page: number | null
  heading: string | null
  text: string
  /** How many words it is found by. */
  words: number
  embedding_model: string | null
  /** 32-bit floats in this machine's byte order. */
  embedding: Uint8Array | null
}

/** Documents that are gone, whose chunks are not. */
interface DocumentRemovalsTable {
  document_id: string
}

/** One row: sums over all chunks. */
interface ChunkTotalsTable {
  texts: number
  words: number
}

/** The tables of documents. */
export interface DocumentTables {
  collections: CollectionsTable
  documents: DocumentsTable
  document_pieces: DocumentPiecesTable
  document_chunks: DocumentChunksTable
  document_removals: DocumentRemovalsTable
  chunk_totals: ChunkTotalsTable
}

/** Makes the tables of documents, without the index of words. */
export function buildDocumentTables(db: Kysely<RuntimeTables>): readonly Compilable[] {
  const { schema } = db
  return [
    schema
      .createTable('collections')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('collection', 'text', (column) => column.notNull()),
    schema
      .createTable('documents')
      .addColumn('seq', 'integer', (column) => column.primaryKey())
      .addColumn('id', 'text', (column) => column.notNull().unique())
      .addColumn('collection_id', 'text', (column) => column.notNull())
      .addColumn('user_id', 'text')
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('media_type', 'text', (column) => column.notNull())
      .addColumn('bytes', 'integer', (column) => column.notNull())
      .addColumn('sha256', 'text', (column) => column.notNull())
      .addColumn('metadata', 'text')
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('error', 'text')
      .addColumn('chunks', 'integer')
      .addColumn('pages', 'integer')
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('attempts', 'integer', (column) => column.notNull())
      .addColumn('owner', 'text')
      .addColumn('lease_until', 'text'),
    schema.createIndex('documents_list').on('documents').columns(['collection_id', 'seq']),
    schema.createIndex('documents_user').on('documents').columns(['collection_id', 'user_id', 'seq']),
    schema.createIndex('documents_name').on('documents').columns(['collection_id', 'name']),
    schema
      .createIndex('documents_queued')
      .on('documents')
      .column('seq')
      .where(sql.ref('status'), '=', sql.lit('queued')),
    schema
      .createTable('document_pieces')
      .addColumn('document_id', 'text', (column) => column.notNull())
      .addColumn('place', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('bytes', 'blob', (column) => column.notNull())
      .addPrimaryKeyConstraint('document_pieces_pk', ['document_id', 'place']),
    schema
      .createTable('document_chunks')
      .addColumn('seq', 'integer', (column) => column.primaryKey())
      .addColumn('document_id', 'text', (column) => column.notNull())
      .addColumn('collection_id', 'text', (column) => column.notNull())
      .addColumn('user_id', 'text')
      .addColumn('place', 'integer', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('page', 'integer')
      .addColumn('heading', 'text')
      .addColumn('text', 'text', (column) => column.notNull())
      .addColumn('words', 'integer', (column) => column.notNull())
      .addColumn('embedding_model', 'text')
      .addColumn('embedding', 'blob'),
    schema.createIndex('document_chunks_document').on('document_chunks').column('document_id'),
    schema
      .createIndex('document_chunks_vectors')
      .on('document_chunks')
      .columns(['collection_id', 'seq'])
      .where(sql.ref('embedding'), 'is not', null),
    schema
      .createIndex('document_chunks_user_vectors')
      .on('document_chunks')
      .columns(['collection_id', 'user_id', 'seq'])
      .where(sql.ref('embedding'), 'is not', null),
    schema.createTable('document_removals').addColumn('document_id', 'text', (column) => column.primaryKey()),
    schema
      .createTable('chunk_totals')
      .addColumn('texts', 'integer', (column) => column.notNull())
      .addColumn('words', 'integer', (column) => column.notNull()),
    db.insertInto('chunk_totals').values({ texts: sql.lit(0), words: sql.lit(0) }),
  ]
}
