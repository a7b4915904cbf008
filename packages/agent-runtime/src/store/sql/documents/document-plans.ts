import { all, buildOnce, change, first } from '@homeward/kit/sql'
import type { Kysely } from 'kysely'
import type { JsonObject } from '@homeward/contract/agent-platform'
import { numberPositionOf, toPage } from '../../cursor.ts'
import type { createAudited } from '../access/audit-plans.ts'
import type {
  ChunkQuery,
  ChunkWrite,
  ClaimedDocument,
  DocumentClaim,
  DocumentFilter,
  DocumentFinish,
  DocumentPiece,
  FoundChunk,
  NewDocument,
  StoredCollection,
  StoredDocument,
} from '../../ports/document-store.ts'
import type { Page, PageRequest } from '../../ports/page.ts'
import { fromJson } from '../json.ts'
import type { Plan } from '../plan.ts'
import type { RuntimeTables } from '../schema.ts'
import { createDocumentStatements, type DocumentRow, piecesAtOnce } from './document-statements.ts'

/** How a database keeps the chunks of documents, with their words. */
export interface ChunkPlans {
  insertChunks(document: DocumentRow, chunks: ChunkWrite['chunks']): Plan<void>
  /** @returns whether there may be more. */
  removeChunks(documentId: string): Plan<boolean>
  searchDocuments(query: ChunkQuery): Plan<readonly FoundChunk[]>
}

type Statements = ReturnType<typeof createDocumentStatements>

/** The verbs of `DocumentStore` as plans. */
export function createDocumentPlans(
  db: Kysely<RuntimeTables>,
  chunks: ChunkPlans,
  audited: ReturnType<typeof createAudited>,
) {
  const statements = buildOnce(db, createDocumentStatements)
  const removeDocument = createRemoveDocument(statements)
  const collections = createCollectionPlans(statements)
  const rows = createRowPlans(statements, collections.findCollection, removeDocument)
  return {
    ...collections,
    insertCollection: audited(collections.insertCollection),
    changeCollection: audited(collections.changeCollection),
    deleteCollection: audited(collections.deleteCollection),
    ...rows,
    insertDocuments: audited(rows.insertDocuments),
    deleteDocument: audited(rows.deleteDocument),
    ...createQueuePlans(statements, chunks, removeDocument),
    searchDocuments: chunks.searchDocuments,
  }
}

/** The chunks are removed later: a chunk without a document is not found. */
const createRemoveDocument = (statements: Statements) =>
  function* removeDocument(id: string): Plan<void> {
    yield* change(statements.noteRemoval, { id })
    yield* change(statements.remove, { id })
  }

type RemoveDocument = ReturnType<typeof createRemoveDocument>

function createCollectionPlans(statements: Statements) {
  function* findCollection(id: string): Plan<StoredCollection | undefined> {
    const row = yield* first(statements.findCollection, { id })
    return row && fromJson<StoredCollection>(row.collection)
  }

  return {
    *insertCollection(collection: StoredCollection, most: number): Plan<boolean | undefined> {
      const { id } = collection
      if (yield* findCollection(id)) return false
      const { count = 0 } = (yield* first(statements.countCollections, {})) ?? {}
      if (count >= most) return undefined
      yield* change(statements.insertCollection, { id, collection: JSON.stringify(collection) })
      return true
    },

    *changeCollection(
      id: string,
      toChanged: (before: StoredCollection) => StoredCollection,
    ): Plan<StoredCollection | false | undefined> {
      const before = yield* findCollection(id)
      if (before === undefined) return undefined
      const changed = toChanged(before)
      if (changed.perUser !== before.perUser) {
        const { count = 0 } = (yield* first(statements.count, { collectionId: id })) ?? {}
        if (count > 0) return false
      }
      yield* change(statements.replaceCollection, { id, collection: JSON.stringify(changed) })
      return changed
    },

    *deleteCollection(id: string): Plan<boolean> {
      yield* change(statements.noteRemovals, { collectionId: id })
      yield* change(statements.removeAll, { collectionId: id })
      return (yield* change(statements.removeCollection, { id })) > 0
    },

    findCollection,

    *listCollections(): Plan<readonly StoredCollection[]> {
      const rows = yield* all(statements.listCollections, {})
      return rows.map(({ collection }) => fromJson<StoredCollection>(collection))
    },
  }
}

function createRowPlans(
  statements: Statements,
  findCollection: ReturnType<typeof createCollectionPlans>['findCollection'],
  remove: RemoveDocument,
) {
  function* insertDocument(document: NewDocument): Plan<StoredDocument> {
    const { collectionId, name, userId, sha256 } = document
    const named = yield* all(statements.findNamed, { collectionId, name })
    const before = named.filter((row) => row.user_id === (userId ?? null))
    const same = before.find((row) => row.sha256 === sha256 && row.media_type === document.mediaType)
    const isThere = same !== undefined && same.status !== 'failed'
    // What is ready is found until its successor is.
    for (const row of before) if (row !== same && (isThere || row.status !== 'ready')) yield* remove(row.id)
    if (same) {
      const metadata = toText(document.metadata) ?? same.metadata
      if (metadata !== same.metadata) yield* change(statements.setMetadata, { id: same.id, metadata })
      if (isThere) return toDocument({ ...same, metadata })
      yield* change(statements.removePiecesOf, { id: same.id })
      yield* change(statements.movePieces, { from: document.id, to: same.id })
      yield* change(statements.requeue, { id: same.id })
      return toDocument({ ...same, metadata, status: 'queued', error: null } as const)
    }
    const row = toRow(document)
    yield* change(statements.insert, row)
    return toDocument({ ...row, seq: 0 })
  }

  return {
    *addDocumentPiece(piece: DocumentPiece): Plan<void> {
      yield* change(statements.insertPiece, piece)
    },

    *readDocumentPiece(documentId: string, place: number): Plan<Uint8Array | undefined> {
      const row = yield* first(statements.readPiece, { documentId, place })
      return row && new Uint8Array(row.bytes)
    },

    *insertDocuments(
      documents: readonly NewDocument[],
      most: number,
    ): Plan<readonly StoredDocument[] | false | undefined> {
      const { collectionId = '' } = documents[0] ?? {}
      if (!(yield* findCollection(collectionId))) return undefined
      const { count = 0 } = (yield* first(statements.count, { collectionId })) ?? {}
      if (count + documents.length > most) return false
      const stored: StoredDocument[] = []
      for (const document of documents) stored.push(yield* insertDocument(document))
      return stored
    },

    *findDocument(collectionId: string, id: string): Plan<StoredDocument | undefined> {
      const row = yield* first(statements.find, { id })
      return row?.collection_id === collectionId ? toDocument(row) : undefined
    },

    *listDocuments({ collectionId, userId }: DocumentFilter, page: PageRequest): Plan<Page<StoredDocument>> {
      const before = numberPositionOf(page) ?? Number.MAX_SAFE_INTEGER
      const args = { collectionId, userId: userId ?? '', before, limit: page.limit + 1 }
      const rows = yield* all(userId === undefined ? statements.list : statements.listOfUser, args)
      return toPage(rows, page.limit, toDocument, ({ seq }) => [seq])
    },

    *deleteDocument(collectionId: string, id: string): Plan<boolean> {
      const row = yield* first(statements.find, { id })
      if (row?.collection_id !== collectionId) return false
      yield* remove(id)
      return true
    },
  }
}

function createQueuePlans(statements: Statements, chunks: ChunkPlans, remove: RemoveDocument) {
  return {
    *claimDocuments(claim: DocumentClaim): Plan<readonly ClaimedDocument[]> {
      const rows = yield* all(statements.claim, claim)
      return rows.map((row) => ({ ...toDocument(row), attempts: row.attempts }))
    },

    *addDocumentChunks({ documentId, owner, until, chunks: added }: ChunkWrite): Plan<boolean> {
      if ((yield* change(statements.renew, { id: documentId, owner, until })) === 0) return false
      const document = yield* first(statements.find, { id: documentId })
      if (document && added.length > 0) yield* chunks.insertChunks(document, added)
      return true
    },

    *finishDocument({ documentId: id, owner, ready, error }: DocumentFinish): Plan<boolean> {
      const { chunks: count = null, pages = null } = ready ?? {}
      const status = ready ? 'ready' : 'failed'
      const args = { id, owner, status, error: error ?? null, chunks: count, pages } as const
      if ((yield* change(statements.finish, args)) === 0) return false
      const row = yield* first(statements.find, { id })
      if (!ready || !row) return true
      const named = yield* all(statements.findNamed, { collectionId: row.collection_id, name: row.name })
      for (const other of named)
        if (other.user_id === row.user_id && other.seq < row.seq) yield* remove(other.id)
      return true
    },

    *sweepDocuments({ before, documentId }: { before: string; documentId?: string }): Plan<boolean> {
      if (documentId !== undefined) return yield* chunks.removeChunks(documentId)
      if ((yield* change(statements.removePieces, { before })) >= piecesAtOnce) return true
      const removal = yield* first(statements.nextRemoval, {})
      if (!removal) return false
      if (!(yield* chunks.removeChunks(removal.id))) yield* change(statements.endRemoval, removal)
      return true
    },
  }
}

const toText = (value: JsonObject | undefined): string | null =>
  value === undefined ? null : JSON.stringify(value)

const toRow = (document: NewDocument): Omit<DocumentRow, 'seq'> => ({
  id: document.id,
  collection_id: document.collectionId,
  user_id: document.userId ?? null,
  name: document.name,
  media_type: document.mediaType,
  bytes: document.bytes,
  sha256: document.sha256,
  metadata: toText(document.metadata),
  status: 'queued',
  error: null,
  chunks: null,
  pages: null,
  created_at: document.createdAt,
  attempts: 0,
  owner: null,
  lease_until: null,
})

function toDocument(row: DocumentRow): StoredDocument {
  return {
    id: row.id,
    collectionId: row.collection_id,
    ...(row.user_id !== null && { userId: row.user_id }),
    name: row.name,
    mediaType: row.media_type,
    bytes: row.bytes,
    sha256: row.sha256,
    ...(row.metadata !== null && { metadata: fromJson<JsonObject>(row.metadata) }),
    status: row.status,
    ...(row.error !== null && { error: row.error }),
    ...(row.chunks !== null && { chunks: row.chunks }),
    ...(row.pages !== null && { pages: row.pages }),
    createdAt: row.created_at,
  }
}
