import type { Page, PageRequest } from './page.ts'

/** A stored memory of an agent. Times are ISO 8601 text in UTC. */
export interface StoredMemory {
  readonly id: string
  readonly agentId: string
  readonly userId?: string
  readonly text: string
  readonly tags: readonly string[]
  /** Present if the memory was written from untrusted content. */
  readonly trust?: 'untrusted'
  readonly expiresAt?: string
  readonly createdAt: string
  /** Vector of the text, if the runtime has an embedding model. */
  readonly embedding?: Float32Array
  /** Model of the vector. Absent for old memories. */
  readonly embeddingModel?: string
}

/** A search for memories. Absent fields match everything. */
export interface MemoryQuery {
  /** Query in natural language. More matching words rank higher; no single word is required. */
  readonly text: string
  readonly agentId?: string | undefined
  /** User of the memories. `null` finds only memories without a user. */
  readonly userId?: string | null | undefined
  /** Required tags: all of them. */
  readonly tags?: readonly string[] | undefined
  readonly limit: number
  /** Current time. Memories that expired before it are not found. */
  readonly now: string
  /** Vector of the query. Adds the nearest vectors to the ranking (reciprocal rank fusion). */
  readonly embedding?: Float32Array | undefined
  /** Model of the vector. Vectors of other models cannot be compared, and are ignored. */
  readonly embeddingModel?: string | undefined
}

/** The memories that a list shows. Absent fields match everything. */
export interface MemoryFilter extends Pick<MemoryQuery, 'agentId' | 'userId' | 'tags'> {
  /** Memories that expired before are left out. */
  readonly now: string
}

/** A vector, and what made it. */
export interface Embedded {
  readonly embedding: Float32Array
  readonly embeddingModel: string
}

/** A matching memory; a higher score is a better match. */
export interface ScoredMemory {
  readonly memory: StoredMemory
  readonly score: number
}

/** Store of long-term memory. Implementations must pass `memoryStoreConformance`. */
export interface MemoryStore {
  /** Stores a memory. @throws {RuntimeError} `conflict` if the id already exists. */
  writeMemory(memory: StoredMemory, signal?: AbortSignal): Promise<void>
  /**
   * Finds a memory by its id, without its vector; undefined if it does not exist. Expired memories may be found for a
   * while.
   */
  findMemory(id: string, signal?: AbortSignal): Promise<StoredMemory | undefined>
  /**
   * Finds memories that match the filter, ranked by BM25, best first, without their vectors. A vector without a model
   * name is compared with any model.
   */
  searchMemories(query: MemoryQuery, signal?: AbortSignal): Promise<ScoredMemory[]>
  /** Memories without their vectors, newest first. */
  listMemories(filter: MemoryFilter, page: PageRequest, signal?: AbortSignal): Promise<Page<StoredMemory>>
  /** Deletes a memory. @returns false if it does not exist. */
  deleteMemory(id: string, signal?: AbortSignal): Promise<boolean>
}
