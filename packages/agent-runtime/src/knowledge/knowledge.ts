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
  /** @default found out from the ending of the name */
  readonly mediaType?: string | undefined
  /** Its bytes, which are read once, before the next file. */
  readonly content: AsyncIterable<Uint8Array>
}

/** Files as they arrive. Once all are there, `about` says what holds for all of them. */
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

/** Which documents are listed. */
export interface DocumentListQuery {
  readonly userId?: string | undefined
  /** @default 50 */
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** What is looked for in a collection. */
export interface DocumentQuery {
  /** Natural language. */
  readonly q: string
  /** @default 10 */
  readonly limit?: number | undefined
  /** Finds documents of this user only. @default those of all users */
  readonly userId?: string | undefined
}

/** Collections of documents: see `createKnowledge`. */
export interface Knowledge {
  /** @throws {RuntimeError} `conflict` if the id is taken. */
  create(input: NewCollection): Promise<Collection>
  /** By their ids. */
  list(): Promise<Collection[]>
  /** @throws {RuntimeError} `not_found` */
  get(id: string): Promise<Collection>
  /** @returns undefined if it does not exist */
  find(id: string): Promise<Collection | undefined>
  /** @throws {RuntimeError} `not_found`; `conflict` for another `per_user` while there are documents. */
  update(id: string, changes: CollectionUpdate): Promise<Collection>
  /** @throws {RuntimeError} `not_found` */
  delete(id: string): Promise<void>
  /**
   * Stores a document, and reads its text in the background.
   *
   * @throws {RuntimeError} `not_found`; `validation_error`; `conflict` if the collection is full.
   * @example
   * const [document] = await runtime.collections.add('handbook', { name: 'holidays.md', text: '# Holidays' })
   */
  add(id: string, input: DocumentInput, signal?: AbortSignal): Promise<CollectionDocument[]>
  /** Stores files as they arrive, as {@link add}. */
  upload(id: string, given: DocumentFiles, signal?: AbortSignal): Promise<CollectionDocument[]>
  /** Newest first. @throws {RuntimeError} `not_found` */
  documents(id: string, query?: DocumentListQuery): Promise<DocumentPage>
  /** @throws {RuntimeError} `not_found` */
  document(id: string, documentId: string): Promise<CollectionDocument>
  /** @throws {RuntimeError} `not_found` */
  deleteDocument(id: string, documentId: string): Promise<void>
  /** Passages that match, best first. @throws {RuntimeError} `not_found` */
  search(id: string, query: DocumentQuery, signal?: AbortSignal): Promise<DocumentSearchResult[]>
}
