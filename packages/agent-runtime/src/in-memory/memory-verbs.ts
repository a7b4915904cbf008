import type { MemoryQuery, ScoredMemory, StoredMemory } from '../store/ports/memory-store.ts'
import { fusedPerResult, fuseRanks } from '../store/ranking/fuse-ranks.ts'
import { isSameModel, nearestVectors } from '../store/ranking/nearest-vectors.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { OrderOf } from './sorted-rows.ts'
import { addSorted, removeSorted } from './sorted-rows.ts'
import type { MemoryRecord, Tables } from './tables.ts'
import { fromJson } from '../store/sql/json.ts'

/** How many expired memories a write removes at the most. */
const sweepAtOnce = 16

const byExpiry: OrderOf<MemoryRecord> = ({ expiresAt, id }) => [expiresAt ?? '', id]

/** {@link MemoryStore.writeMemory}, in memory. */
export function writeMemory(tables: Tables, memory: StoredMemory): void {
  if (tables.memories.has(memory.id)) {
    throw new RuntimeError('conflict', 'Writing a memory failed: its id is in use already. Make a new one.')
  }
  sweep(tables, memory.createdAt)
  const { embedding, embeddingModel, ...rest } = memory
  const record: MemoryRecord = {
    id: memory.id,
    agentId: memory.agentId,
    userId: memory.userId,
    tags: new Set(memory.tags),
    expiresAt: memory.expiresAt,
    json: JSON.stringify(rest),
    embedding: embedding?.slice(),
    embeddingModel,
  }
  tables.memories.set(memory.id, record)
  tables.memoryWords.add(record, memory.text)
  if (record.expiresAt !== undefined) addSorted(tables.expiringMemories, byExpiry, record)
}

/** {@link MemoryStore.findMemory}, in memory. */
export function findMemory(tables: Tables, id: string): StoredMemory | undefined {
  const record = tables.memories.get(id)
  return record && toMemory(record)
}

/** {@link MemoryStore.searchMemories}, in memory. */
export function searchMemories(tables: Tables, query: MemoryQuery): ScoredMemory[] {
  const accepts = (record: MemoryRecord) => isMatch(record, query)
  const byWords = tables.memoryWords.search(query.text, accepts)
  return (query.embedding === undefined ? byWords : fuse(tables, query, byWords))
    .slice(0, query.limit)
    .map(({ item, score }) => ({ memory: toMemory(item), score }))
}

/** {@link MemoryStore.deleteMemory}, in memory. */
export function deleteMemory(tables: Tables, id: string): boolean {
  const record = tables.memories.get(id)
  if (record === undefined) return false
  tables.memories.delete(id)
  if (record.expiresAt !== undefined) removeSorted(tables.expiringMemories, byExpiry, record)
  tables.memoryWords.remove(record, toMemory(record).text)
  return true
}

function fuse(
  tables: Tables,
  query: MemoryQuery & { embedding?: Float32Array | undefined },
  byWords: readonly { readonly item: MemoryRecord }[],
): { item: MemoryRecord; score: number }[] {
  const depth = query.limit * fusedPerResult
  const vectors = [...tables.memories.values()].flatMap((record) =>
    record.embedding !== undefined &&
    isSameModel(record.embeddingModel, query.embeddingModel) &&
    isMatch(record, query)
      ? [{ key: record, vector: record.embedding }]
      : [],
  )
  const nearest = query.embedding === undefined ? [] : nearestVectors(query.embedding, vectors, depth)
  return fuseRanks([byWords.slice(0, depth).map(({ item }) => item), nearest.map(({ key }) => key)])
}

function isMatch(record: MemoryRecord, query: MemoryQuery): boolean {
  return (
    (query.agentId === undefined || record.agentId === query.agentId) &&
    (query.userId === undefined || (record.userId ?? null) === query.userId) &&
    (record.expiresAt === undefined || record.expiresAt > query.now) &&
    (query.tags ?? []).every((tag) => record.tags.has(tag))
  )
}

/** Removes what expired, a little with each write. */
function sweep(tables: Tables, now: string): void {
  const expired = tables.expiringMemories
    .slice(0, sweepAtOnce)
    .filter(({ expiresAt }) => expiresAt !== undefined && expiresAt <= now)
  for (const { id } of expired) deleteMemory(tables, id)
}

function toMemory({ json }: MemoryRecord): StoredMemory {
  return fromJson<StoredMemory>(json)
}
