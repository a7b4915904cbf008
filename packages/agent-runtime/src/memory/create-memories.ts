import type { Memory, MemorySearchResult } from '@homeward/contract/agent-platform'
import { repeatableId, usedKey, writeOnce } from '../store/repeatable-id.ts'
import type { MemoryStore, ScoredMemory, StoredMemory } from '../store/ports/memory-store.ts'
import { boundedLimit } from '../paging/bounded-limit.ts'
import { readPage } from '../paging/read-page.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { Embedder } from './embedder.ts'
import type { Memories } from './memories.ts'

/** What {@link createMemories} is built from. */
interface MemoriesOptions {
  readonly store: MemoryStore
  readonly now: () => number
  readonly createId: () => string
  /** Makes the search hybrid: by words and by meaning. @default none: by words only */
  readonly embedder?: Embedder | undefined
}

/** Long-term memory over a store (A11). */
export function createMemories(options: MemoriesOptions): Memories {
  const { store, now, createId, embedder } = options
  const timestamp = () => new Date(now()).toISOString()

  return {
    async write(given, { trust, signal } = {}) {
      const attempt = 'Writing a memory'
      const { idempotency_key: key, ...input } = given
      const embedded = await embedder?.embedText(input.text, signal)
      const memory: StoredMemory = {
        id: key === undefined ? createId() : repeatableId(key, ['memory']),
        agentId: input.agent_id,
        text: input.text,
        tags: [...new Set(input.tags)],
        createdAt: timestamp(),
        ...(input.user_id !== undefined && { userId: input.user_id }),
        ...(input.expires_at !== undefined && { expiresAt: toUtc(input.expires_at) }),
        ...(trust !== undefined && { trust }),
        ...embedded,
      }
      const write = () => store.writeMemory(memory, signal)
      if (key === undefined) await write()
      else
        await writeOnce(write, async () => {
          const kept = await store.findMemory(memory.id, signal)
          if (!kept || !saysTheSame(kept, memory)) throw usedKey(attempt, 'memory')
        })
      return { id: memory.id }
    },

    async search(given, signal) {
      const query = given
      const embedded = await embedder?.embedQuestion(query.q, signal)
      const found = await store.searchMemories(
        {
          text: query.q,
          agentId: query.agent_id,
          userId: query.user_id,
          tags: query.tags,
          limit: query.limit ?? 10,
          now: timestamp(),
          ...embedded,
        },
        signal,
      )
      return found.map(toFoundMemory)
    },

    async list({ agentId, userId, tags, limit, cursor } = {}, signal) {
      const filter = { agentId, userId, tags, now: timestamp() }
      const asked = { limit: boundedLimit(limit ?? 100, 500), cursor }
      const { rows, nextCursor } = await readPage('memories', asked, (page) =>
        store.listMemories(filter, page, signal),
      )
      return { memories: rows.map(toShown), ...(nextCursor !== undefined && { nextCursor }) }
    },

    async find(id, signal) {
      const memory = await store.findMemory(id, signal)
      return memory && toShown(memory)
    },

    async delete(id, signal) {
      if (await store.deleteMemory(id, signal)) return
      throw new RuntimeError(
        'not_found',
        'Deleting a memory failed: no memory has this id. List the memories to find it.',
      )
    },

    async embed(texts, signal) {
      if (embedder) return embedder.embedTexts(texts, signal)
      throw new RuntimeError(
        'model_not_configured',
        'Embedding text failed: the runtime has no embedding model. Pass "embeddingModel" to createRuntime().',
      )
    },
  }
}

function saysTheSame(kept: StoredMemory, wanted: StoredMemory): boolean {
  return (
    kept.agentId === wanted.agentId &&
    kept.userId === wanted.userId &&
    kept.text === wanted.text &&
    kept.expiresAt === wanted.expiresAt &&
    kept.trust === wanted.trust &&
    JSON.stringify(kept.tags) === JSON.stringify(wanted.tags)
  )
}

/**
 * Stores compare times as text: all of them are in UTC, of a year with four digits. A time without an offset is UTC
 * already.
 */
function toUtc(time: string): string {
  const hasOffset = /(?:Z|[+-]\d\d:?\d\d)$/i.test(time)
  const utc = new Date(hasOffset ? time : `${time}Z`).toISOString()
  return utc.startsWith('+') ? '9999-12-31T23:59:59.999Z' : utc
}

const toFoundMemory = ({ memory, score }: ScoredMemory): MemorySearchResult => ({ ...toShown(memory), score })

function toShown(memory: StoredMemory): Memory {
  return {
    id: memory.id,
    agent_id: memory.agentId,
    user_id: memory.userId ?? null,
    text: memory.text,
    tags: [...memory.tags],
    created_at: memory.createdAt,
    ...(memory.trust && { trust: memory.trust }),
  }
}
