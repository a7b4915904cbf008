import type { FileReference } from '../../ports/file.ts'

/** Bytes of a file. */
export interface FileContent {
  /** SHA-256 of the bytes, 64 lowercase hexadecimal digits. */
  readonly sha256: string
  readonly content: Uint8Array
}

/** A run or task that is about to be stored, with the bytes of its files that are not stored yet. */
export type WithContents<New> = New & { readonly contents?: readonly FileContent[] }

/** What a file belongs to: it is deleted with its owner. */
export interface FileOwner {
  readonly kind: 'run' | 'task' | 'message'
  readonly id: string
  /**
   * Conversation whose messages may refer to the file: the file outlives its owner for as long as this conversation
   * exists, and is deleted with it. @default none
   */
  readonly conversationId?: string | undefined
}

/** Files of one owner, stored all together or not at all. */
export interface FileWrite {
  readonly owner: FileOwner
  /** A file whose id is stored already is left as it is. */
  readonly files: readonly FileReference[]
  /** Bytes by their hash; each is stored once. Left out for bytes that are stored already. @default none */
  readonly contents?: readonly FileContent[] | undefined
  /** ISO 8601 text in UTC. */
  readonly now: string
}

/** A stored file with its bytes. */
export interface StoredFile extends FileReference {
  readonly content: Uint8Array
  readonly createdAt: string
  /** @default nothing that callers of one user reach */
  readonly owner?: FileOwner
}

/**
 * Where files are kept. Equal bytes are stored once, and deleted with the last file that has them.
 * Implementations must pass `fileStoreConformance`.
 */
export interface FileStore {
  /** @throws {RuntimeError} `not_found` if the bytes of a file are neither stored nor given. */
  saveFiles(write: FileWrite, signal?: AbortSignal): Promise<void>
  /** @returns undefined if there is no such file. */
  findFile(id: string, signal?: AbortSignal): Promise<StoredFile | undefined>
}
