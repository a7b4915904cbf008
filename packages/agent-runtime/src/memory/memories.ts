import type { FoundMemory, MemoryInput, MemorySearch } from '@homeward/contract/agent-platform'

/** How a memory is written. */
export interface MemoryWriteOptions {
  /** The text comes from content that a stranger may have made; whoever reads it is told so. */
  readonly trust?: 'untrusted'
  /** Gives the write up while it has not been made. */
  readonly signal?: AbortSignal
}

/** Long-term memory (A11): see `createMemories`. */
export interface Memories {
  /**
   * Writes a memory.
   *
   * @throws {RuntimeError} `validation_error`, `model_error` when the embedding model fails, `storage_error`.
   */
  write(input: MemoryInput, options?: MemoryWriteOptions): Promise<{ readonly id: string }>
  /** Memories that match, best first. @throws {RuntimeError} `validation_error`, `storage_error`. */
  search(query: MemorySearch, signal?: AbortSignal): Promise<FoundMemory[]>
  /** @throws {RuntimeError} `not_found` */
  delete(id: string, signal?: AbortSignal): Promise<void>
}
