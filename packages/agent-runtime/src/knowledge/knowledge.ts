import type {
  Collection,
  CollectionDocument,
  CollectionUpdate,
  DocumentInput,
  DocumentSearchResult,
  DocumentUpload,
  NewCollection,
} from '@homeward/contract/agent-platform'

/** A file of an upload. */
export interface UploadedFile {
  readonly name: string
  /** Media type of the file. @default detected from the extension of the name */
  readonly mediaType?: string | undefined
  /** Bytes of the file, to be read once, before the next file. */
  readonly content: AsyncIterable<Uint8Array>
}

/** Files as they arrive. After the last one, `about` returns fields for all of them. */
export interface DocumentFiles {
  readonly files: AsyncIterable<UploadedFile>
  /** Called after the last file was read. */
  about(): DocumentUpload
}

/** A page of documents. */
export interface DocumentPage {
  readonly documents: readonly CollectionDocument[]
  readonly nextCursor?: string
}

/** Filter for documents. */
export interface DocumentListQuery {
  readonly userId?: string | undefined
  /** Page size. @default 50 */
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** A search in a collection. */
export interface DocumentQuery {
  /** Query in natural language. */
  readonly q: string
  /** Maximum number of passages. @default 10 */
  readonly limit?: number | undefined
  /** Limits the search to documents of this user. @default documents of all users */
  readonly userId?: string | undefined
}

/** Collections of documents that agents search. */
export interface Knowledge {
  /** Creates a collection. @throws {RuntimeError} `conflict` if the id already exists. */
  create(input: NewCollection): Promise<Collection>
  /** Lists all collections, sorted by id. */
  list(): Promise<Collection[]>
  /** Returns a collection. @throws {RuntimeError} `not_found` */
  get(id: string): Promise<Collection>
  /** Returns a collection. @returns undefined if it does not exist */
  find(id: string): Promise<Collection | undefined>
  /**
   * Changes a collection.
   *
   * @throws {RuntimeError} `not_found`; `conflict` if `per_user` would change while the collection has documents.
   */
  update(id: string, changes: CollectionUpdate): Promise<Collection>
  /** Deletes a collection with its documents. @throws {RuntimeError} `not_found` */
  delete(id: string): Promise<void>
  /**
   * Stores a document, and reads its text in the background.
   *
   * @throws {RuntimeError} `not_found`; `validation_error`; `conflict` if the collection is full.
   * @example
   * const [document] = await runtime.collections.add('handbook', { name: 'holidays.md', text: '# Holidays' })
   */
  add(id: string, input: DocumentInput, signal?: AbortSignal): Promise<CollectionDocument[]>
  /** Stores files as they arrive; see {@link add}. */
  upload(id: string, given: DocumentFiles, signal?: AbortSignal): Promise<CollectionDocument[]>
  /** Lists documents, newest first. @throws {RuntimeError} `not_found` */
  documents(id: string, query?: DocumentListQuery): Promise<DocumentPage>
  /** Returns a document. @throws {RuntimeError} `not_found` */
  document(id: string, documentId: string): Promise<CollectionDocument>
  /** Deletes a document. @throws {RuntimeError} `not_found` */
  deleteDocument(id: string, documentId: string): Promise<void>
  /** Finds matching passages, best first. @throws {RuntimeError} `not_found` */
  search(id: string, query: DocumentQuery, signal?: AbortSignal): Promise<DocumentSearchResult[]>
}
