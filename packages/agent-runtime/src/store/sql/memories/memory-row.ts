import type { StoredMemory } from '../../ports/memory-store.ts'
import { fromJson } from '../json.ts'
import type { RowShape, SearchRow } from '../search/rank-rows.ts'

/** A memory that an index found. */
export interface MemoryRow extends SearchRow {
  /** JSON of everything but the vector. */
  readonly memory: string
}

/** How memories are read. */
export const memoryShape: RowShape<MemoryRow, StoredMemory> = {
  toItem: ({ memory }) => fromJson<StoredMemory>(memory),
  textOf: ({ text }) => text,
}
