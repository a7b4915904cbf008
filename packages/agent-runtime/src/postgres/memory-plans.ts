import type { Kysely } from 'kysely'
import type { MemoryQuery, ScoredMemory, StoredMemory } from '../ports/memory-store.ts'
import { fuseRanks } from '../ranking/fuse-ranks.ts'
import { toWords } from '../ranking/to-words.ts'
import { fromJson } from '../sql/json.ts'
import { createVectorSearch } from '../sql/memory-vectors.ts'
import type { Plan } from '../sql/plan.ts'
import { all, change } from '../sql/plan.ts'
import type { RuntimeTables } from '../sql/schema.ts'
import { toLexemes, toQuery, toScope } from './lexemes.ts'
import { createMemoryReads, createMemoryWrites } from './memory-statements.ts'
import { createWordSearch } from './word-search.ts'

/** How many expired memories a write removes at the most. */
const sweptAtOnce = 16
/** How far down two rankings are joined, for each result that is wanted. */
const fusedPerResult = 4

/** The verbs of `MemoryStore` as plans, over the full-text index of Postgres. */
export function createMemoryPlans(db: Kysely<RuntimeTables>, options: { readonly maxVectors: number }) {
  const writes = createMemoryWrites(db)
  const reads = createMemoryReads(db)
  const searchWords = createWordSearch(reads)
  const searchVectors = createVectorSearch(
    { ...reads, scopeOf: toScope, toMatch: (scope) => toQuery(scope, []) },
    options,
  )

  function* addTotals(texts: number, words: number): Plan<void> {
    yield* change(writes.addTotals, { texts, words })
  }

  function* forget(removed: readonly { words: number }[]): Plan<void> {
    if (removed.length > 0)
      yield* addTotals(-removed.length, -removed.reduce((sum, { words }) => sum + words, 0))
  }

  function* searchBoth(query: MemoryQuery, target: Float32Array): Plan<ScoredMemory[]> {
    const depth = query.limit * fusedPerResult
    const byWords = yield* searchWords({ ...query, limit: depth })
    const near = yield* searchVectors(query, target, depth)
    const rankings = [byWords.map(({ seq }) => seq), near.map(({ key }) => key)]
    const fused = fuseRanks(rankings).slice(0, query.limit)
    const known = new Map(byWords.map((match) => [match.seq, match.memory]))
    const seqs = fused.map(({ item }) => item).filter((seq) => !known.has(seq))
    for (const row of yield* all(reads.bySeq, { seqs }))
      known.set(row.seq, fromJson<StoredMemory>(row.memory))
    return fused.flatMap(({ item, score }) => {
      const memory = known.get(item)
      return memory === undefined ? [] : [{ memory, score }]
    })
  }

  return {
    *writeMemory(memory: StoredMemory): Plan<void> {
      const { embedding, ...rest } = memory
      yield* forget(yield* all(writes.deleteExpired, { now: memory.createdAt, limit: sweptAtOnce }))
      const words = toWords(memory.text)
      yield* change(writes.insert, {
        id: memory.id,
        memory: JSON.stringify(rest),
        words: words.length,
        expires_at: memory.expiresAt ?? null,
        embedding: toBytes(embedding),
        lexemes: toLexemes(memory, words),
      })
      yield* addTotals(1, words.length)
    },

    *searchMemories(query: MemoryQuery): Plan<ScoredMemory[]> {
      if (query.embedding !== undefined) return yield* searchBoth(query, query.embedding)
      return (yield* searchWords(query)).map(({ memory, score }) => ({ memory, score }))
    },

    *deleteMemory(id: string): Plan<boolean> {
      const removed = yield* all(writes.delete, { id })
      yield* forget(removed)
      return removed.length > 0
    },
  }
}

function toBytes(vector: Float32Array | undefined): Uint8Array | null {
  return vector === undefined ? null : new Uint8Array(vector.slice().buffer)
}
