import type { JsonObject } from '@homeward/contract/agent-platform'
import type { NewAuditEntry } from './audit-store.ts'
import type { Embedded } from './memory-store.ts'
import type { Page, PageRequest } from './page.ts'

/** A collection of documents. Times are ISO 8601 text in UTC. */
export interface StoredCollection {
  readonly id: string
  readonly name?: string
  readonly description?: string
  /** Whether each document belongs to a user, and is found for that user only. */
  readonly perUser: boolean
  readonly createdAt: string
  readonly updatedAt: string
}

/** A document as it is about to be stored. Its bytes are stored already, in pieces. */
export interface NewDocument {
  readonly id: string
  readonly collectionId: string
  /** Present in a collection with `perUser`. */
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

/** A document. */
export interface StoredDocument extends NewDocument {
  readonly status: 'queued' | 'ready' | 'failed'
  /** Why it failed. */
  readonly error?: string
  /** Present once it is ready. */
  readonly chunks?: number
  readonly pages?: number
}

/** A part of the bytes of a document that is being uploaded. */
export interface DocumentPiece {
  readonly documentId: string
  /** Counted from 0. */
  readonly place: number
  readonly bytes: Uint8Array
  readonly at: string
}

/** A document that a process works on, until its lease ends. */
export interface ClaimedDocument extends StoredDocument {
  /** How often it was claimed, this time too. */
  readonly attempts: number
}

/** Takes documents out of the queue. */
export interface DocumentClaim {
  readonly owner: string
  readonly now: string
  /** Nobody else claims them before. */
  readonly until: string
  readonly limit: number
}

/** A passage of a document. */
export interface DocumentChunk {
  /** Counted from 0 within the document. */
  readonly place: number
  readonly text: string
  readonly page?: number
  readonly heading?: string
  /** Vector of the text, if there is an embedding model. */
  readonly embedded?: Embedded
}

/** Chunks of a document that a process works on. The write renews its lease. */
export interface ChunkWrite {
  readonly collectionId: string
  readonly documentId: string
  readonly owner: string
  readonly until: string
  readonly chunks: readonly DocumentChunk[]
}

/** How the work on a document ended. */
export interface DocumentFinish {
  readonly collectionId: string
  readonly documentId: string
  readonly owner: string
  /** Of the document, once it is ready. */
  readonly ready?: { readonly chunks: number; readonly pages?: number }
  /** Why it failed. */
  readonly error?: string
}

/** What to look for in a collection. */
export interface ChunkQuery {
  readonly collectionId: string
  /** Finds documents of this user only. @default those of all */
  readonly userId?: string | undefined
  /** Natural language. Every word counts; none has to be there. */
  readonly text: string
  readonly limit: number
  /** Adds the nearest vectors to the ranking. @default by words only */
  readonly embedding?: Float32Array | undefined
  readonly embeddingModel?: string | undefined
}

/** A passage that matched; a higher score is a better match. */
export interface FoundChunk extends Omit<DocumentChunk, 'embedded'> {
  readonly documentId: string
  readonly name: string
  readonly score: number
}

/** Which documents a list has. */
export interface DocumentFilter {
  readonly collectionId: string
  readonly userId?: string | undefined
}

/** Collections of documents, and the passages that searches find. Implementations must pass `documentStoreConformance`. */
export interface DocumentStore {
  /** Adds a collection. @returns false if the id is taken, undefined if there are `most` already. */
  insertCollection(
    collection: StoredCollection,
    most: number,
    audit?: NewAuditEntry,
    signal?: AbortSignal,
  ): Promise<boolean | undefined>
  /**
   * Changes a collection; `change` has no side effects.
   *
   * @returns the changed collection, if it exists; false if `perUser` would change while it has documents.
   */
  changeCollection(
    id: string,
    change: (before: StoredCollection) => StoredCollection,
    audit?: NewAuditEntry,
    signal?: AbortSignal,
  ): Promise<StoredCollection | false | undefined>
  /** Deletes a collection with its documents, which are not found from then on. @returns whether there was one. */
  deleteCollection(id: string, audit?: NewAuditEntry, signal?: AbortSignal): Promise<boolean>
  /** @returns undefined if it does not exist. */
  findCollection(id: string, signal?: AbortSignal): Promise<StoredCollection | undefined>
  /** By their ids. */
  listCollections(signal?: AbortSignal): Promise<readonly StoredCollection[]>

  /** Stores a part of the bytes of a document. */
  addDocumentPiece(piece: DocumentPiece, signal?: AbortSignal): Promise<void>
  /** @returns undefined behind the last piece. */
  readDocumentPiece(documentId: string, place: number, signal?: AbortSignal): Promise<Uint8Array | undefined>
  /**
   * Queues documents whose pieces are stored, all of them or none. A document with the name, the bytes and the user of one that is
   * there is that one; if it failed it is queued again, with the new bytes. One with other bytes replaces it: what is ready stays
   * until the new one is.
   *
   * @returns the documents as they are stored; undefined if the collection is missing, false if it would have more than `most`.
   */
  insertDocuments(
    documents: readonly NewDocument[],
    most: number,
    audit?: NewAuditEntry,
    signal?: AbortSignal,
  ): Promise<readonly StoredDocument[] | false | undefined>
  /** @returns undefined if the collection has no document with this id. */
  findDocument(collectionId: string, id: string, signal?: AbortSignal): Promise<StoredDocument | undefined>
  /** Newest first. */
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

  /** Takes queued documents that nobody works on, oldest first. */
  claimDocuments(claim: DocumentClaim, signal?: AbortSignal): Promise<readonly ClaimedDocument[]>
  /** Adds chunks. A search finds them once the document is ready. @returns false if the owner has lost the document. */
  addDocumentChunks(write: ChunkWrite, signal?: AbortSignal): Promise<boolean>
  /** Ends the work on a document. Once it is ready, what it replaces is gone. @returns false if the owner has it no more. */
  finishDocument(finish: DocumentFinish, signal?: AbortSignal): Promise<boolean>
  /**
   * Removes some chunks and pieces that belong to no document, or to `documentId`, whose chunks are made again.
   *
   * @returns whether there may be more.
   */
  sweepDocuments(
    sweep: { readonly before: string; readonly documentId?: string },
    signal?: AbortSignal,
  ): Promise<boolean>

  /** Passages of documents that are ready, best first. */
  searchDocuments(query: ChunkQuery, signal?: AbortSignal): Promise<readonly FoundChunk[]>
}
