import type { FileReference } from '../../ports/file.ts'

/** Bytes of a file. */
export interface FileContent {
  /** SHA-256 of the bytes, 64 lowercase hexadecimal digits. */
  readonly sha256: string
  readonly content: Uint8Array
}

/** A run or task to store, with the bytes of its files that are not stored yet. */
export type WithContents<New> = New & { readonly contents?: readonly FileContent[] }

/** Owner of a file. The file is deleted with its owner. */
export interface FileOwner {
  readonly kind: 'run' | 'task' | 'message'
  readonly id: string
  /**
   * Conversation whose messages may refer to the file. The file is stored as long as this conversation exists, and
   * deleted with it.
   *
   * @default no conversation
   */
  readonly conversationId?: string | undefined
}

/** Files of one owner, stored all together or not at all. */
export interface FileWrite {
  readonly owner: FileOwner
  /** Files to store. A file with a stored id stays unchanged. */
  readonly files: readonly FileReference[]
  /** Bytes by their hash. Omit bytes that are already stored. @default no bytes */
  readonly contents?: readonly FileContent[] | undefined
  /** ISO 8601 text in UTC. */
  readonly now: string
}

/** A stored file with its bytes. */
export interface StoredFile extends FileReference {
  readonly content: Uint8Array
  readonly createdAt: string
  /** Owner of the file. @default not accessible for user-limited callers */
  readonly owner?: FileOwner
}

/**
 * Store of files. Equal bytes are stored once, and deleted with the last file that has them. Implementations must
 * pass `fileStoreConformance`.
 */
export interface FileStore {
  /** Stores files. @throws {RuntimeError} `not_found` if the bytes of a file are neither stored nor given. */
  saveFiles(write: FileWrite, signal?: AbortSignal): Promise<void>
  /** Finds a file. @returns undefined if it does not exist. */
  findFile(id: string, signal?: AbortSignal): Promise<StoredFile | undefined>
}
