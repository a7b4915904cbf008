import type { Kysely } from 'kysely'
import type { MemoryQuery, ScoredMemory, StoredMemory } from '../ports/memory-store.ts'
import { fuseRanks } from '../ranking/fuse-ranks.ts'
import type { NearVector, VectorOf } from '../ranking/nearest-vectors.ts'
import { nearestOf, nearestVectors } from '../ranking/nearest-vectors.ts'
import { toWords } from '../ranking/to-words.ts'
import { fromJson } from '../sql/json.ts'
import type { Plan } from '../sql/plan.ts'
import { all, change } from '../sql/plan.ts'
import type { RuntimeTables } from '../sql/schema.ts'
import { toLexemes, toQuery, toScope } from './lexemes.ts'
import type { MemoryReads, VectorRow } from './memory-statements.ts'
import { createMemoryReads, createMemoryWrites } from './memory-statements.ts'
import { createWordSearch } from './word-search.ts'

/** How many expired memories a write removes at the most. */
const sweptAtOnce = 16
/** How far down two rankings are joined, for each result that is wanted. */
const fusedPerResult = 4
/** Vectors read at once: few enough to take little memory. */
const chunk = 500

/** The verbs of `MemoryStore` as plans, over the full-text index of Postgres. */
export function createMemoryPlans(db: Kysely<RuntimeTables>, options: { readonly maxVectors: number }) {
  const writes = createMemoryWrites(db)
  const reads = createMemoryReads(db)
  const searchWords = createWordSearch(reads)
  const searchVectors = createVectorSearch(reads, options)

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

/** Finds the nearest vectors among those that a query's filter lets through, newest first, up to `maxVectors`. */
function createVectorSearch(reads: MemoryReads, { maxVectors }: { readonly maxVectors: number }) {
  return function* searchVectors(
    query: MemoryQuery,
    target: Float32Array,
    limit: number,
  ): Plan<NearVector<number>[]> {
    const scope = toScope(query)
    let nearest: NearVector<number>[] = []
    let before = Number.MAX_SAFE_INTEGER
    for (let looked = 0; looked < maxVectors; looked += chunk) {
      const args = { before, now: query.now, limit: Math.min(chunk, maxVectors - looked) }
      const rows =
        scope.length === 0
          ? yield* all(reads.vectors, args)
          : yield* all(reads.matchingVectors, { ...args, match: toQuery(scope, []) })
      nearest = nearestOf([...nearest, ...nearestVectors(target, rows.map(toVector), limit)], limit)
      before = rows.at(-1)?.seq ?? 0
      if (rows.length < chunk) break
    }
    return nearest
  }
}

function toVector({ seq, embedding }: VectorRow): VectorOf<number> {
  // A copy: in the row it need not begin where a vector may.
  return { key: seq, vector: new Float32Array(new Uint8Array(embedding).buffer) }
}

function toBytes(vector: Float32Array | undefined): Uint8Array | null {
  return vector === undefined ? null : new Uint8Array(vector.slice().buffer)
}
