import { createHash } from 'node:crypto'
import type {
  Collection,
  CollectionDocument,
  CollectionUpdate,
  DocumentSearchResult,
  DocumentUpload,
} from '@homeward/contract/agent-platform'
import { maxDocumentBytes } from '@homeward/contract/agent-platform'
import { yieldToEventLoop } from '../concurrency/yield-to-event-loop.ts'
import type { Embedder } from '../memory/embedder.ts'
import { readPage } from '../paging/read-page.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import type {
  DocumentStore,
  FoundChunk,
  NewDocument,
  StoredCollection,
  StoredDocument,
} from '../store/ports/document-store.ts'
import { mediaTypeOf } from './document-kind.ts'
import type { Knowledge, UploadedFile } from './knowledge.ts'

/** What {@link createKnowledge} is built from. */
interface KnowledgeOptions {
  readonly store: DocumentStore
  /** Finds passages by meaning too. @default by words only */
  readonly embedder?: Embedder | undefined
  /** Called once documents are queued, or something was deleted. */
  readonly onChange: () => void
  readonly now: () => number
  readonly createId: () => string
}

const maxCollections = 1000
/** Documents of a collection. */
const maxDocuments = 100_000
/** Files of one upload. */
const maxFiles = 100
/** Bytes that are written at once: few enough for a millisecond or two. */
const pieceBytes = 1024 * 1024

/** Characters that are encoded at once. */
const encodedChars = 262_144

type StoredFile = Pick<NewDocument, 'id' | 'name' | 'mediaType' | 'bytes' | 'sha256'>

/** Collections of documents over a store. */
export function createKnowledge(options: KnowledgeOptions): Knowledge {
  const get = createGet(options)
  return { ...createCollections(options, get), ...createDocuments(options, get) }
}

type Get = ReturnType<typeof createGet>

function createGet({ store }: KnowledgeOptions) {
  return async function get(id: string, attempt: string): Promise<StoredCollection> {
    const collection = await store.findCollection(id)
    if (collection) return collection
    throw unknownCollection(attempt)
  }
}

const timestampOf = (now: () => number) => new Date(now()).toISOString()

/** What stores files and documents. */
function createIntake({ store, onChange, now, createId }: KnowledgeOptions) {
  /** Stores the bytes of a file, piece by piece. */
  async function storeFile(
    { name, mediaType, content }: UploadedFile,
    signal: AbortSignal | undefined,
  ): Promise<StoredFile> {
    const id = createId()
    const hash = createHash('sha256')
    let [bytes, place] = [0, 0]
    for await (const piece of toPieces(content)) {
      bytes += piece.length
      if (bytes > maxDocumentBytes)
        throw new RuntimeError(
          'payload_too_large',
          `Adding a document failed: a file has more than ${maxDocumentBytes} bytes. Split it.`,
        )
      hash.update(piece)
      await store.addDocumentPiece({ documentId: id, place, bytes: piece, at: timestampOf(now) }, signal)
      await yieldToEventLoop()
      place += 1
    }
    return { id, name, mediaType: mediaTypeOf(name, mediaType), bytes, sha256: hash.digest('hex') }
  }

  async function insert(
    collection: StoredCollection,
    files: readonly StoredFile[],
    { user_id: userId, metadata }: DocumentUpload,
    signal: AbortSignal | undefined,
  ): Promise<CollectionDocument[]> {
    assertUser(collection, userId)
    const createdAt = timestampOf(now)
    const documents = files.map((file): NewDocument => ({
      ...file,
      collectionId: collection.id,
      ...(userId !== undefined && { userId }),
      ...(metadata && { metadata }),
      createdAt,
    }))
    const stored = await store.insertDocuments(documents, maxDocuments, undefined, signal)
    if (stored === undefined) throw unknownCollection('Adding a document')
    if (!stored)
      throw new RuntimeError(
        'conflict',
        `Adding a document failed: a collection has at most ${maxDocuments} documents. Use another collection.`,
      )
    onChange()
    return stored.map(toDocument)
  }

  return { storeFile, insert }
}

function createDocuments(
  options: KnowledgeOptions,
  get: Get,
): Pick<Knowledge, 'add' | 'upload' | 'documents' | 'document' | 'deleteDocument' | 'search'> {
  const { store, embedder, onChange } = options
  const { storeFile, insert } = createIntake(options)

  async function findDocument(id: string, documentId: string, attempt: string): Promise<StoredDocument> {
    await get(id, attempt)
    const document = await store.findDocument(id, documentId)
    if (document) return document
    throw noDocument(attempt)
  }

  return {
    async add(id, { name, media_type: mediaType, text, data, ...about }, signal) {
      const collection = await get(id, 'Adding a document')
      assertUser(collection, about.user_id)
      const content = data ? toContent(data) : toEncoded(text ?? '')
      const file = await storeFile({ name, mediaType, content }, signal)
      return insert(collection, [text === undefined ? file : asText(file)], about, signal)
    },
    async upload(id, { files, about }, signal) {
      const collection = await get(id, 'Adding a document')
      const stored: StoredFile[] = []
      for await (const file of files) {
        if (stored.length === maxFiles)
          throw invalid(`an upload has at most ${maxFiles} files. Send the others in another request`)
        stored.push(await storeFile(file, signal))
      }
      if (stored.length === 0) throw invalid('the upload has no file. Send it as the form part "file"')
      return insert(collection, stored, about(), signal)
    },
    async documents(id, { userId, limit = 50, cursor } = {}) {
      await get(id, 'Listing documents')
      const { rows, nextCursor } = await readPage('documents', { limit, cursor, of: id }, (page) =>
        store.listDocuments({ collectionId: id, userId }, page),
      )
      return { documents: rows.map(toDocument), ...(nextCursor !== undefined && { nextCursor }) }
    },
    document: async (id, documentId) => toDocument(await findDocument(id, documentId, 'Getting a document')),
    async deleteDocument(id, documentId) {
      if (!(await store.deleteDocument(id, documentId))) {
        await get(id, 'Deleting a document')
        throw noDocument('Deleting a document')
      }
      onChange()
    },
    async search(id, { q: text, limit = 10, userId }, signal) {
      const { perUser } = await get(id, 'Searching documents')
      const asked = { collectionId: id, text, limit, ...(perUser && userId !== undefined && { userId }) }
      const embedded = await embedder?.embedQuestion(text, signal)
      return (await store.searchDocuments({ ...asked, ...embedded }, signal)).map(toResult)
    },
  }
}

// a limited caller's id is hidden from here, so the sentence names none
const unknownCollection = (attempt: string) =>
  new RuntimeError(
    'not_found',
    `${attempt} failed: no collection has this id. List the collections to find it.`,
  )

function createCollections(
  { store, onChange, now }: KnowledgeOptions,
  get: Get,
): Pick<Knowledge, 'create' | 'list' | 'get' | 'find' | 'update' | 'delete'> {
  return {
    async create({ id, name, description, per_user: perUser = false }) {
      const createdAt = timestampOf(now)
      const collection: StoredCollection = {
        id,
        ...(name !== undefined && { name }),
        ...(description !== undefined && { description }),
        perUser,
        createdAt,
        updatedAt: createdAt,
      }
      const isNew = await store.insertCollection(collection, maxCollections)
      if (isNew) return toCollection(collection)
      const fact =
        isNew === false
          ? `a collection with the id "${id}" exists already. Choose another id`
          : `there are ${maxCollections} collections already. Delete one that you no longer need`
      throw new RuntimeError('conflict', `Creating a collection failed: ${fact}.`)
    },
    list: async () => (await store.listCollections()).map(toCollection),
    get: async (id) => toCollection(await get(id, 'Getting a collection')),
    async find(id) {
      const collection = await store.findCollection(id)
      return collection && toCollection(collection)
    },
    async update(id, changes) {
      const attempt = 'Changing a collection'
      const updatedAt = timestampOf(now)
      const changed = await store.changeCollection(id, (before) => toChanged(before, changes, updatedAt))
      if (changed) return toCollection(changed)
      if (changed === undefined) throw unknownCollection(attempt)
      throw new RuntimeError(
        'conflict',
        `${attempt} failed: "per_user" cannot change while the collection has documents. Delete them, or create another collection.`,
      )
    },
    async delete(id) {
      if (!(await store.deleteCollection(id))) throw unknownCollection('Deleting a collection')
      onChange()
    },
  }
}

/** Pieces of one size, however the bytes arrive; the last one may be smaller. */
async function* toPieces(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  let piece = new Uint8Array(pieceBytes)
  let filled = 0
  for await (const chunk of content) {
    for (let start = 0; start < chunk.length;) {
      const part = chunk.subarray(start, start + pieceBytes - filled)
      piece.set(part, filled)
      filled += part.length
      start += part.length
      if (filled < pieceBytes) continue
      yield piece
      piece = new Uint8Array(pieceBytes)
      filled = 0
    }
  }
  if (filled > 0) yield piece.slice(0, filled)
}

async function* toContent(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes
}

/** The bytes of a text, some at a time: encoding a long one holds up everybody else. */
async function* toEncoded(text: string): AsyncGenerator<Uint8Array, void> {
  const encoder = new TextEncoder()
  for (let start = 0; start < text.length;) {
    const end = Math.min(text.length, start + encodedChars)
    const isHalf = end < text.length && /[\ud800-\udbff]/.test(text[end - 1] ?? '')
    yield encoder.encode(text.slice(start, isHalf ? end - 1 : end))
    start = isHalf ? end - 1 : end
  }
}

/** Of text, a name without an ending says nothing. */
const asText = (file: StoredFile): StoredFile =>
  file.mediaType === 'application/octet-stream' ? { ...file, mediaType: 'text/plain' } : file

/** @throws {RuntimeError} `validation_error` */
function assertUser({ perUser }: StoredCollection, userId: string | undefined): void {
  if (perUser && userId === undefined)
    throw invalid('documents of this collection belong to users. Send "user_id"')
  if (!perUser && userId !== undefined)
    throw invalid('"user_id" is for collections with "per_user" only. Leave it out')
}

const invalid = (fact: string) => new RuntimeError('validation_error', `Adding a document failed: ${fact}.`)

const noDocument = (attempt: string) =>
  new RuntimeError(
    'not_found',
    `${attempt} failed: no document of the collection has this id. List the documents to find it.`,
  )

function toChanged(before: StoredCollection, changes: CollectionUpdate, updatedAt: string): StoredCollection {
  const { name = before.name, description = before.description, per_user: perUser = before.perUser } = changes
  return {
    id: before.id,
    ...(typeof name === 'string' && { name }),
    ...(typeof description === 'string' && { description }),
    perUser,
    createdAt: before.createdAt,
    updatedAt,
  }
}

const toCollection = ({
  id,
  name,
  description,
  perUser,
  createdAt,
  updatedAt,
}: StoredCollection): Collection => ({
  id,
  ...(name !== undefined && { name }),
  ...(description !== undefined && { description }),
  per_user: perUser,
  created_at: createdAt,
  updated_at: updatedAt,
})

const toDocument = (document: StoredDocument): CollectionDocument => ({
  id: document.id,
  name: document.name,
  media_type: document.mediaType,
  bytes: document.bytes,
  sha256: document.sha256,
  status: document.status,
  ...(document.error !== undefined && { error: document.error }),
  ...(document.chunks !== undefined && { chunks: document.chunks }),
  ...(document.pages !== undefined && { pages: document.pages }),
  ...(document.userId !== undefined && { user_id: document.userId }),
  ...(document.metadata && { metadata: document.metadata }),
  created_at: document.createdAt,
})

function toResult(found: FoundChunk): DocumentSearchResult {
  const { documentId, place: _, ...chunk } = found
  return { document_id: documentId, ...chunk }
}
