import type { Memory, MemorySearchResult, MemoryInput, MemorySearch } from '@homeward/contract/agent-platform'

/** How a memory is written. */
export interface MemoryWriteOptions {
  /** `untrusted` if the text comes from content of a stranger. Readers of the memory see this value. */
  readonly trust?: 'untrusted'
  /** Cancels the write if it has not been made yet. */
  readonly signal?: AbortSignal
}

/** Which memories a list shows. Absent fields match everything. */
export interface MemoryListOptions {
  readonly agentId?: string | undefined
  readonly userId?: string | undefined
  /** All of them must be there. */
  readonly tags?: readonly string[] | undefined
  /** 1 to 500. @default 100 */
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** A page of memories. */
export interface MemoryPage {
  readonly memories: readonly Memory[]
  /** Present if there are more. */
  readonly nextCursor?: string
}

/** Vectors of texts. */
export interface EmbeddedTexts {
  /** Model that made the vectors: `provider/model-id`. */
  readonly model: string
  readonly embeddings: readonly (readonly number[])[]
  /** Absent if the model does not count them. */
  readonly tokens?: number
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
  search(query: MemorySearch, signal?: AbortSignal): Promise<MemorySearchResult[]>
  /** Memories that have not expired, newest first. @throws {RuntimeError} `validation_error`, `storage_error`. */
  list(options?: MemoryListOptions, signal?: AbortSignal): Promise<MemoryPage>
  /** A memory by its id, also one that has expired. @returns undefined if it does not exist */
  find(id: string, signal?: AbortSignal): Promise<Memory | undefined>
  /** @throws {RuntimeError} `not_found` */
  delete(id: string, signal?: AbortSignal): Promise<void>
  /**
   * Makes vectors of texts with the `embeddingModel` of the runtime, in their order.
   *
   * @throws {RuntimeError} `model_not_configured` without one, `model_error`
   * @example
   * const { embeddings } = await runtime.memory.embed(['A dog', 'A cat'])
   */
  embed(texts: readonly string[], signal?: AbortSignal): Promise<EmbeddedTexts>
}
