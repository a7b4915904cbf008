import type { JsonObject } from '@homeward/contract/agent-platform'
import type { NewAuditEntry } from './audit-store.ts'
import type { Embedded } from './memory-store.ts'
import type { Page, PageRequest } from './page.ts'

/** A collection of documents. Times are ISO 8601 text in UTC. */
export interface StoredCollection {
  readonly id: string
  readonly name?: string
  readonly description?: string
  /** Whether each document belongs to one user and is found only for that user. */
  readonly perUser: boolean
  readonly createdAt: string
  readonly updatedAt: string
}

/** A document to store. Its bytes are already stored in parts. */
export interface NewDocument {
  readonly id: string
  readonly collectionId: string
  /** User of the document. Present in a collection with `perUser`. */
  readonly userId?: string
  readonly name: string
  readonly mediaType: string
  /** Size in bytes. */
  readonly bytes: number
  /** SHA-256 of the bytes in hexadecimal digits. */
  readonly sha256: string
  readonly metadata?: JsonObject
  readonly createdAt: string
}

/** A stored document. */
export interface StoredDocument extends NewDocument {
  readonly status: 'queued' | 'ready' | 'failed'
  /** Reason for the failure. */
  readonly error?: string
  /** Number of passages. Present once ready. */
  readonly chunks?: number
  readonly pages?: number
}

/** A part of the bytes of an uploaded document. */
export interface DocumentPiece {
  readonly documentId: string
  /** Index of the part, starting at 0. */
  readonly place: number
  readonly bytes: Uint8Array
  readonly at: string
}

/** A document that a process works on, until the lease ends. */
export interface ClaimedDocument extends StoredDocument {
  /** Number of claims, including this one. */
  readonly attempts: number
}

/** Claims documents of the queue. */
export interface DocumentClaim {
  readonly owner: string
  readonly now: string
  /** End of the claim. */
  readonly until: string
  readonly limit: number
}

/** A passage of a document. */
export interface DocumentChunk {
  /** Index within the document, starting at 0. */
  readonly place: number
  readonly text: string
  readonly page?: number
  readonly heading?: string
  /** Vector of the text, if there is an embedding model. */
  readonly embedded?: Embedded
}

/** Chunks of a claimed document. The write renews its lease. */
export interface ChunkWrite {
  readonly collectionId: string
  readonly documentId: string
  readonly owner: string
  readonly until: string
  readonly chunks: readonly DocumentChunk[]
}

/** Result of the work on a document. */
export interface DocumentFinish {
  readonly collectionId: string
  readonly documentId: string
  readonly owner: string
  /** Facts about the document, if it is ready. */
  readonly ready?: { readonly chunks: number; readonly pages?: number }
  /** Reason for the failure. */
  readonly error?: string
}

/** A search in a collection. */
export interface ChunkQuery {
  readonly collectionId: string
  /** Limits the search to documents of this user. @default documents of all users */
  readonly userId?: string | undefined
  /** Query in natural language. More matching words rank higher; no single word is required. */
  readonly text: string
  readonly limit: number
  /** Vector of the query. Adds the nearest vectors to the ranking. @default ranking only by words */
  readonly embedding?: Float32Array | undefined
  readonly embeddingModel?: string | undefined
}

/** A matching passage; a higher score is a better match. */
export interface FoundChunk extends Omit<DocumentChunk, 'embedded'> {
  readonly documentId: string
  readonly name: string
  readonly score: number
}

/** Filter for a list of documents. */
export interface DocumentFilter {
  readonly collectionId: string
  readonly userId?: string | undefined
}

/** Collections of documents, and the passages that searches find. Implementations must pass `documentStoreConformance`. */
export interface DocumentStore {
  /** Adds a collection. @returns false if the id already exists, undefined if there are already `most`. */
  insertCollection(
    collection: StoredCollection,
    most: number,
    audit?: NewAuditEntry,
    signal?: AbortSignal,
  ): Promise<boolean | undefined>
  /**
   * Changes a collection. `change` must have no side effects.
   *
   * @returns the changed collection, if it exists; false if `perUser` would change while it has documents.
   */
  changeCollection(
    id: string,
    change: (before: StoredCollection) => StoredCollection,
    audit?: NewAuditEntry,
    signal?: AbortSignal,
  ): Promise<StoredCollection | false | undefined>
  /** Deletes a collection. Its documents are no longer found. @returns whether the collection existed. */
  deleteCollection(id: string, audit?: NewAuditEntry, signal?: AbortSignal): Promise<boolean>
  /** Finds a collection. @returns undefined if it does not exist. */
  findCollection(id: string, signal?: AbortSignal): Promise<StoredCollection | undefined>
  /** Lists all collections, sorted by id. */
  listCollections(signal?: AbortSignal): Promise<readonly StoredCollection[]>

  /** Stores a part of the bytes of a document. */
  addDocumentPiece(piece: DocumentPiece, signal?: AbortSignal): Promise<void>
  /** Reads a part of the bytes of a document. @returns undefined after the last part. */
  readDocumentPiece(documentId: string, place: number, signal?: AbortSignal): Promise<Uint8Array | undefined>
  /**
   * Queues documents whose parts are stored: all of them, or none.
   *
   * A document with the name, bytes and user of an existing one is the existing one; if that failed, it is queued
   * again with the new bytes. A document with the same name and other bytes replaces the existing one, which stays
   * until the new one is ready.
   *
   * @returns the stored documents; undefined if the collection does not exist, false if it would have more than
   * `most`.
   */
  insertDocuments(
    documents: readonly NewDocument[],
    most: number,
    audit?: NewAuditEntry,
    signal?: AbortSignal,
  ): Promise<readonly StoredDocument[] | false | undefined>
  /** Finds a document of a collection. @returns undefined if it does not exist. */
  findDocument(collectionId: string, id: string, signal?: AbortSignal): Promise<StoredDocument | undefined>
  /** Lists documents, newest first. */
  listDocuments(
    filter: DocumentFilter,
    page: PageRequest,
    signal?: AbortSignal,
  ): Promise<Page<StoredDocument>>
  /** Deletes a document. Searches no longer find it. @returns whether the document existed */
  deleteDocument(
    collectionId: string,
    id: string,
    audit?: NewAuditEntry,
    signal?: AbortSignal,
  ): Promise<boolean>

  /** Claims queued documents that no process works on, oldest first. */
  claimDocuments(claim: DocumentClaim, signal?: AbortSignal): Promise<readonly ClaimedDocument[]>
  /** Adds chunks. Searches find them once the document is ready. @returns false if the owner has lost the document. */
  addDocumentChunks(write: ChunkWrite, signal?: AbortSignal): Promise<boolean>
  /**
   * Ends the work on a document. Once it is ready, the replaced document is deleted.
   *
   * @returns false if the owner has lost it.
   */
  finishDocument(finish: DocumentFinish, signal?: AbortSignal): Promise<boolean>
  /**
   * Removes some chunks and parts without a document, or the chunks of `documentId`, which are created again.
   *
   * @returns whether more may remain.
   */
  sweepDocuments(
    sweep: { readonly before: string; readonly documentId?: string },
    signal?: AbortSignal,
  ): Promise<boolean>

  /** Finds passages of documents that are ready, best first. */
  searchDocuments(query: ChunkQuery, signal?: AbortSignal): Promise<readonly FoundChunk[]>
}
