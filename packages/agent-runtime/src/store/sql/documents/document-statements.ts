import { compileStatement, toCompilable } from '@homeward/kit/sql'
import type { Kysely, Selectable } from 'kysely'
import { sql } from 'kysely'
import type { DocumentClaim, DocumentPiece } from '../../ports/document-store.ts'
import type { RuntimeTables } from '../schema.ts'
import type { DocumentsTable } from './document-tables.ts'

/** A document as it is read. */
export type DocumentRow = Selectable<DocumentsTable>

interface ListArgs {
  readonly collectionId: string
  readonly userId: string
  readonly before: number
  readonly limit: number
}

/** Statements on collections, and on documents but for their chunks. */
export const createDocumentStatements = (db: Kysely<RuntimeTables>) => ({
  ...createCollectionStatements(db),
  ...createRowStatements(db),
  ...createPieceStatements(db),
  ...createQueueStatements(db),
})

function createRowStatements(db: Kysely<RuntimeTables>) {
  const list = (args: ListArgs) =>
    db
      .selectFrom('documents')
      .selectAll()
      .where('collection_id', '=', args.collectionId)
      .where('seq', '<', args.before)
      .orderBy('seq', 'desc')
      .limit(args.limit)
  const ofCollection = (collectionId: string) =>
    db.selectFrom('documents').select('id').where('collection_id', '=', collectionId)
  return {
    count: compileStatement<{ collectionId: string }, { count: number }>('read', ({ collectionId }) =>
      db
        .selectFrom('documents')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('collection_id', '=', collectionId),
    ),
    insert: compileStatement<Omit<DocumentRow, 'seq'>, unknown>('write', (row) =>
      db.insertInto('documents').values({
        id: row.id,
        collection_id: row.collection_id,
        user_id: row.user_id,
        name: row.name,
        media_type: row.media_type,
        bytes: row.bytes,
        sha256: row.sha256,
        metadata: row.metadata,
        status: row.status,
        error: row.error,
        chunks: row.chunks,
        pages: row.pages,
        created_at: row.created_at,
        attempts: row.attempts,
        owner: row.owner,
        lease_until: row.lease_until,
      }),
    ),
    setMetadata: compileStatement<{ id: string; metadata: string | null }, unknown>(
      'write',
      ({ id, metadata }) => db.updateTable('documents').set({ metadata }).where('id', '=', id),
    ),
    remove: compileStatement<{ id: string }, unknown>('write', ({ id }) =>
      db.deleteFrom('documents').where('id', '=', id),
    ),
    removeAll: compileStatement<{ collectionId: string }, unknown>('write', ({ collectionId }) =>
      db.deleteFrom('documents').where('collection_id', '=', collectionId),
    ),
    noteRemoval: compileStatement<{ id: string }, unknown>('write', ({ id }) =>
      db
        .insertInto('document_removals')
        .values({ document_id: id })
        .onConflict((conflict) => conflict.column('document_id').doNothing()),
    ),
    noteRemovals: compileStatement<{ collectionId: string }, unknown>('write', ({ collectionId }) =>
      db.insertInto('document_removals').columns(['document_id']).expression(ofCollection(collectionId)),
    ),
    find: compileStatement<{ id: string }, DocumentRow>('read', ({ id }) =>
      db.selectFrom('documents').selectAll().where('id', '=', id),
    ),
    findNamed: compileStatement<{ collectionId: string; name: string }, DocumentRow>(
      'read',
      ({ collectionId, name }) =>
        db
          .selectFrom('documents')
          .selectAll()
          .where('collection_id', '=', collectionId)
          .where('name', '=', name)
          .orderBy('seq'),
    ),
    list: compileStatement<ListArgs, DocumentRow>('read', list),
    listOfUser: compileStatement<ListArgs, DocumentRow>('read', (args) =>
      list(args).where('user_id', '=', args.userId),
    ),
  }
}

function createCollectionStatements(db: Kysely<RuntimeTables>) {
  return {
    countCollections: compileStatement<object, { count: number }>('read', () =>
      db.selectFrom('collections').select((eb) => eb.fn.countAll<number>().as('count')),
    ),
    insertCollection: compileStatement<{ id: string; collection: string }, unknown>(
      'write',
      ({ id, collection }) => db.insertInto('collections').values({ id, collection }),
    ),
    replaceCollection: compileStatement<{ id: string; collection: string }, unknown>(
      'write',
      ({ id, collection }) => db.updateTable('collections').set({ collection }).where('id', '=', id),
    ),
    removeCollection: compileStatement<{ id: string }, unknown>('write', ({ id }) =>
      db.deleteFrom('collections').where('id', '=', id),
    ),
    findCollection: compileStatement<{ id: string }, { collection: string }>('read', ({ id }) =>
      db.selectFrom('collections').select('collection').where('id', '=', id),
    ),
    listCollections: compileStatement<object, { collection: string }>('read', () =>
      db.selectFrom('collections').select('collection').orderBy('id'),
    ),
  }
}

function createPieceStatements(db: Kysely<RuntimeTables>) {
  return {
    insertPiece: compileStatement<DocumentPiece, unknown>('write', ({ documentId, place, at, bytes }) =>
      db.insertInto('document_pieces').values({ document_id: documentId, place, created_at: at, bytes }),
    ),
    readPiece: compileStatement<{ documentId: string; place: number }, { bytes: Uint8Array }>(
      'read',
      ({ documentId, place }) =>
        db
          .selectFrom('document_pieces')
          .select('bytes')
          .where('document_id', '=', documentId)
          .where('place', '=', place),
    ),
    // The limit is a literal: of a parameter Postgres would fear the worst.
    removePieces: compileStatement<{ before: string }, unknown>('write', ({ before }) =>
      toCompilable(
        db,
        sql`delete from document_pieces where (document_id, place) in (
          select document_id, place from document_pieces left join documents on documents.id = document_id
          where status <> 'queued' or (status is null and document_pieces.created_at < ${before})
          limit ${sql.lit(piecesAtOnce)})`,
      ),
    ),

    removePiecesOf: compileStatement<{ id: string }, unknown>('write', ({ id }) =>
      db.deleteFrom('document_pieces').where('document_id', '=', id),
    ),
    movePieces: compileStatement<{ from: string; to: string }, unknown>('write', ({ from, to }) =>
      db.updateTable('document_pieces').set({ document_id: to }).where('document_id', '=', from),
    ),
  }
}

function createQueueStatements(db: Kysely<RuntimeTables>) {
  return {
    requeue: compileStatement<{ id: string }, unknown>('write', ({ id }) =>
      db
        .updateTable('documents')
        .set({ status: sql.lit('queued'), error: null, attempts: sql.lit(0), owner: null, lease_until: null })
        .where('id', '=', id),
    ),
    claim: compileStatement<DocumentClaim, DocumentRow>('write', ({ owner, now, until, limit }) =>
      db
        .updateTable('documents')
        .set({ owner, lease_until: until, attempts: sql<number>`attempts + 1` })
        .where('seq', 'in', (eb) =>
          eb
            .selectFrom('documents')
            .select('seq')
            .where('status', '=', sql.lit('queued'))
            .where((or) => or.or([or('lease_until', 'is', null), or('lease_until', '<=', now)]))
            .orderBy('seq')
            .limit(limit),
        )
        .returningAll(),
    ),
    renew: compileStatement<{ id: string; owner: string; until: string }, unknown>(
      'write',
      ({ id, owner, until }) =>
        db
          .updateTable('documents')
          .set({ lease_until: until })
          .where('id', '=', id)
          .where('owner', '=', owner)
          .where('status', '=', sql.lit('queued')),
    ),
    finish: compileStatement<FinishArgs, unknown>('write', ({ id, owner, status, error, chunks, pages }) =>
      db
        .updateTable('documents')
        .set({ status, error, chunks, pages, owner: null, lease_until: null })
        .where('id', '=', id)
        .where('owner', '=', owner)
        .where('status', '=', sql.lit('queued')),
    ),
    nextRemoval: compileStatement<object, { id: string }>('read', () =>
      db.selectFrom('document_removals').select('document_id as id').limit(sql.lit(1)),
    ),
    endRemoval: compileStatement<{ id: string }, unknown>('write', ({ id }) =>
      db.deleteFrom('document_removals').where('document_id', '=', id),
    ),
  }
}

/** How many pieces one write removes. */
export const piecesAtOnce = 8

interface FinishArgs extends Pick<DocumentRow, 'id' | 'status' | 'error' | 'chunks' | 'pages'> {
  readonly owner: string
}
