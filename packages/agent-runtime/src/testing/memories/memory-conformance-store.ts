import type { MemoryQuery, MemoryStore } from '../../store/ports/memory-store.ts'
import { at, memoryOf } from '../conformance-fixtures.ts'

/** Searches for at most 10, at second 1. */
export const search = (store: MemoryStore, text: string, changes: Partial<MemoryQuery> = {}) =>
  store.searchMemories({ text, limit: 10, now: at(1), ...changes })

/** Ids of what {@link search} gives. */
export const find = async (store: MemoryStore, text: string, changes: Partial<MemoryQuery> = {}) =>
  (await search(store, text, changes)).map(({ memory }) => memory.id)

/** Writes memories of agent `a1` by their ids and texts. */
export async function write(store: MemoryStore, texts: Readonly<Record<string, string>>): Promise<void> {
  for (const [id, text] of Object.entries(texts)) await store.writeMemory(memoryOf(id, text))
}
