import type { Kysely } from 'kysely'
import type { MemoryQuery, ScoredMemory, StoredMemory } from '../ports/memory-store.ts'
import { fuseRanks } from '../ranking/fuse-ranks.ts'
import { toWords } from '../ranking/to-words.ts'
import { fromJson } from '../sql/json.ts'
import { createVectorSearch } from '../sql/memory-vectors.ts'
import type { Plan } from '../sql/plan.ts'
import { all, each, first } from '../sql/plan.ts'
import type { RuntimeTables } from '../sql/schema.ts'
import { createMemoryReads, createMemoryWrites } from './memory-statements.ts'
import { toMatch, toScopeText, toScopeWords } from './memory-words.ts'
import { createWordSearch } from './word-search.ts'

/** How many expired memories a write removes at the most. */
const sweptAtOnce = 16
/** How far down two rankings are joined, for each result that is wanted. */
const fusedPerResult = 4

/** The verbs of `MemoryStore` as plans, over FTS5. Writing costs four statements. */
export function createMemoryPlans(db: Kysely<RuntimeTables>, options: { readonly maxVectors: number }) {
  const writes = createMemoryWrites(db)
  const reads = createMemoryReads(db)
  const searchWords = createWordSearch(reads)
  const searchVectors = createVectorSearch(
    { ...reads, scopeOf: toScopeWords, toMatch: (scope) => toMatch(scope, []) },
    options,
  )

  function* forget(removed: readonly { seq: number; words: number }[]): Plan<void> {
    if (removed.length === 0) return
    yield* each(writes.deleteWords, removed)
    const words = removed.reduce((sum, row) => sum + row.words, 0)
    yield* all(writes.addTotals, { texts: -removed.length, words: -words })
  }

  function* searchBoth(query: MemoryQuery, target: Float32Array): Plan<ScoredMemory[]> {
    const depth = query.limit * fusedPerResult
    const byWords = yield* searchWords({ ...query, limit: depth })
    const near = yield* searchVectors(query, target, depth)
    const known = new Map(byWords.map((match) => [match.seq, match.memory]))
    const rankings = [byWords.map(({ seq }) => seq), near.map(({ key }) => key)]
    const found: ScoredMemory[] = []
    for (const { item: seq, score } of fuseRanks(rankings).slice(0, query.limit)) {
      const memory = known.get(seq) ?? toMemory(yield* first(reads.bySeq, { seq }))
      if (memory !== undefined) found.push({ memory, score })
    }
    return found
  }

  return {
    *writeMemory(memory: StoredMemory): Plan<void> {
      const { embedding, ...rest } = memory
      yield* forget(yield* all(writes.deleteExpired, { now: memory.createdAt, limit: sweptAtOnce }))
      const words = toWords(memory.text)
      const row = yield* first(writes.insert, {
        id: memory.id,
        memory: JSON.stringify(rest),
        words: words.length,
        expires_at: memory.expiresAt ?? null,
        embedding: toBytes(embedding),
      })
      yield* all(writes.insertWords, {
        seq: row?.seq ?? 0,
        scope: toScopeText(memory),
        text: words.join(' '),
      })
      yield* all(writes.addTotals, { texts: 1, words: words.length })
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

function toMemory(row: { readonly memory: string } | undefined): StoredMemory | undefined {
  return row === undefined ? undefined : fromJson<StoredMemory>(row.memory)
}

function toBytes(vector: Float32Array | undefined): Uint8Array | null {
  return vector === undefined ? null : new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
}
