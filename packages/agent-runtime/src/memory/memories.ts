import type { Memory, MemorySearchResult, MemoryInput, MemorySearch } from '@homeward/contract/agent-platform'

/** Options for storing a memory. */
export interface MemoryWriteOptions {
  /** `untrusted` if the text comes from untrusted content. Readers of the memory see this value. */
  readonly trust?: 'untrusted'
  /** Cancels the write if it has not started. */
  readonly signal?: AbortSignal
}

/** Which memories a list shows. Absent fields match everything. */
export interface MemoryListOptions {
  /** Lists only memories of this agent. */
  readonly agentId?: string | undefined
  /** Lists only memories of this user. */
  readonly userId?: string | undefined
  /** All of them must be there. */
  readonly tags?: readonly string[] | undefined
  /** 1 to 500. @default 100 */
  readonly limit?: number | undefined
  /** `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
}

/** A page of memories. */
export interface MemoryPage {
  readonly memories: readonly Memory[]
  /** Present if there are more. */
  readonly nextCursor?: string
}

/** Embedding vectors of texts. */
export interface EmbeddedTexts {
  /** Embedding model: `provider/model-id`. */
  readonly model: string
  readonly embeddings: readonly (readonly number[])[]
  /** Number of tokens. Absent if the model does not report it. */
  readonly tokens?: number
}

/** Long-term memory of agents. */
export interface Memories {
  /**
   * Stores a memory.
   *
   * @throws {RuntimeError} `validation_error`, `model_error` if the embedding model fails, `storage_error`.
   */
  write(input: MemoryInput, options?: MemoryWriteOptions): Promise<{ readonly id: string }>
  /** Finds matching memories, best first. @throws {RuntimeError} `validation_error`, `storage_error`. */
  search(query: MemorySearch, signal?: AbortSignal): Promise<MemorySearchResult[]>
  /** Memories that have not expired, newest first. @throws {RuntimeError} `validation_error`, `storage_error`. */
  list(options?: MemoryListOptions, signal?: AbortSignal): Promise<MemoryPage>
  /** Returns a memory by its id, even if expired. @returns undefined if it does not exist */
  find(id: string, signal?: AbortSignal): Promise<Memory | undefined>
  /** Deletes a memory. @throws {RuntimeError} `not_found` */
  delete(id: string, signal?: AbortSignal): Promise<void>
  /**
   * Returns the embedding vectors of texts in their order, from the runtime's `embeddingModel`.
   *
   * @throws {RuntimeError} `model_not_configured` without an embedding model, `model_error`
   * @example
   * const { embeddings } = await runtime.memory.embed(['A dog', 'A cat'])
   */
  embed(texts: readonly string[], signal?: AbortSignal): Promise<EmbeddedTexts>
}
