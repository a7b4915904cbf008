import type { Page, PageRequest } from './page.ts'

/** Something an agent remembers. Times are ISO 8601 text in UTC. */
export interface StoredMemory {
  readonly id: string
  readonly agentId: string
  readonly userId?: string
  readonly text: string
  readonly tags: readonly string[]
  /** Present if the memory was written from content of a stranger. */
  readonly trust?: 'untrusted'
  readonly expiresAt?: string
  readonly createdAt: string
  /** Vector of the text, when the host has an embedding model. */
  readonly embedding?: Float32Array
  /** Names the model that made the vector. Absent in what was written before this was noted. */
  readonly embeddingModel?: string
}

/** What to look for. Absent fields match everything. */
export interface MemoryQuery {
  /** Natural language. Every word counts; none has to be there. */
  readonly text: string
  readonly agentId?: string | undefined
  /** `null` finds only what belongs to no user. */
  readonly userId?: string | null | undefined
  /** All of them must be there. */
  readonly tags?: readonly string[] | undefined
  readonly limit: number
  /** What expired before is not found. */
  readonly now: string
  /** Adds the nearest vectors to the ranking (reciprocal rank fusion). */
  readonly embedding?: Float32Array | undefined
  /** Names the model that made the vector: those of other models say nothing about nearness, and are left out. */
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

/** A memory that matched; a higher score is a better match. */
export interface ScoredMemory {
  readonly memory: StoredMemory
  readonly score: number
}

/** Long-term memory. Implementations must pass `memoryStoreConformance`. */
export interface MemoryStore {
  /** @throws {RuntimeError} `conflict` when the id is taken. */
  writeMemory(memory: StoredMemory, signal?: AbortSignal): Promise<void>
  /** What has the id, without its vector; undefined when nothing has it. What expired may be there for a while. */
  findMemory(id: string, signal?: AbortSignal): Promise<StoredMemory | undefined>
  /**
   * Ranked by BM25 over everything that the filter lets through, best first. What is found comes without its
   * vector. A vector that names no model counts as one of any.
   */
  searchMemories(query: MemoryQuery, signal?: AbortSignal): Promise<ScoredMemory[]>
  /** Memories without their vectors, newest first. */
  listMemories(filter: MemoryFilter, page: PageRequest, signal?: AbortSignal): Promise<Page<StoredMemory>>
  /** @returns false when there is none. */
  deleteMemory(id: string, signal?: AbortSignal): Promise<boolean>
}
