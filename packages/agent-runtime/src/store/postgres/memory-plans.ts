import type { Kysely } from 'kysely'
import { buildOnce, all, change, first } from '@homeward/kit/sql'
import { numberPositionOf, toPage } from '../cursor.ts'
import type { MemoryFilter, MemoryQuery, ScoredMemory, StoredMemory } from '../ports/memory-store.ts'
import type { Page, PageRequest } from '../ports/page.ts'
import { toWords } from '../ranking/to-words.ts'
import { fromJson } from '../sql/json.ts'
import type { RemovedMemory } from '../sql/memories/memory-removals.ts'
import { memoryShape } from '../sql/memories/memory-row.ts'
import type { Plan } from '../sql/plan.ts'
import type { RuntimeTables } from '../sql/schema.ts'
import { createFusedSearch } from '../sql/search/fused-search.ts'
import { createVectorSearch, type ReadVectors, walkVectors } from '../sql/search/vector-search.ts'
import { toLexemes, toQuery, toScope, toScopeOf } from './lexemes.ts'
import { createMemoryReads, createMemoryWrites, type MemoryReads } from './memory-statements.ts'
import { createWordCounts, type CountTexts } from './word-counts.ts'
import { createWordSearch } from './word-search.ts'

/** The verbs of `MemoryStore` as plans, over the full-text index of Postgres. */
export function createMemoryPlans(db: Kysely<RuntimeTables>, options: { readonly maxVectors: number }) {
  const writes = buildOnce(db, createMemoryWrites)
  const reads = buildOnce(db, createMemoryReads)
  const countTexts = createWordCounts(reads)

  function* addTotals(texts: number, words: number): Plan<void> {
    yield* change(writes.addTotals, { texts, words })
  }

  function* forget(removed: readonly RemovedMemory[]): Plan<void> {
    if (removed.length > 0)
      yield* addTotals(-removed.length, -removed.reduce((sum, { words }) => sum + words, 0))
  }

  const search = createFusedSearch<MemoryQuery, StoredMemory>({
    searchWords: createWordSearch(
      { ...memoryShape, reads, scopeOf: (query: MemoryQuery) => toScope(query) },
      countTexts,
    ),
    searchVectors: createVectorSearch(createScopedVectors(reads, countTexts, options.maxVectors), options),
    *read(seqs) {
      const rows = seqs.length === 0 ? [] : yield* all(reads.bySeq, { seqs })
      return new Map(rows.map(({ seq, memory }) => [seq, fromJson<StoredMemory>(memory)]))
    },
  })

  return {
    *writeMemory(memory: StoredMemory): Plan<void> {
      const { embedding, embeddingModel, ...rest } = memory
      yield* forget(yield* all(writes.deleteExpired, { now: memory.createdAt }))
      const words = toWords(memory.text)
      yield* change(writes.insert, {
        id: memory.id,
        memory: JSON.stringify(rest),
        words: words.length,
        expires_at: memory.expiresAt ?? null,
        embedding: toBytes(embedding),
        embedding_model: embeddingModel ?? null,
        lexemes: toLexemes(toScopeOf(memory), words),
      })
      yield* addTotals(1, words.length)
    },

    *findMemory(id: string): Plan<StoredMemory | undefined> {
      const row = yield* first(reads.byId, { id })
      return row && fromJson<StoredMemory>(row.memory)
    },

    *searchMemories(query: MemoryQuery): Plan<ScoredMemory[]> {
      return (yield* search(query)).map(({ item: memory, score }) => ({ memory, score }))
    },

    *listMemories(filter: MemoryFilter, page: PageRequest): Plan<Page<StoredMemory>> {
      const scope = toScope(filter)
      const before = numberPositionOf(page) ?? Number.MAX_SAFE_INTEGER
      const args = { before, now: filter.now, limit: page.limit + 1 }
      const rows =
        scope.length === 0
          ? yield* all(reads.listed, args)
          : yield* all(reads.listedMatching, { ...args, match: toQuery(scope, []) })
      return toPage(rows, page.limit, memoryShape.toItem, ({ seq }) => [seq])
    },

    *moveMemories(from: string, to: string): Plan<void> {
      const rows = yield* all(writes.listMatching, { match: toQuery(toScope({ userId: from }), []) })
      for (const { seq, memory: text } of rows) {
        const memory = { ...fromJson<StoredMemory>(text), userId: to }
        const lexemes = toLexemes(toScopeOf(memory), toWords(memory.text))
        yield* change(writes.replace, { seq, memory: JSON.stringify(memory), lexemes })
      }
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

/**
 * Reads the vectors for a query: all of those that its filter lets through, where they are few, for going from the newest
 * to the oldest would lead through everybody else's.
 *
 * @param few how many are.
 */
function createScopedVectors(reads: MemoryReads, countTexts: CountTexts, few: number) {
  function* choose(now: string, scope: readonly string[]): Plan<ReadVectors> {
    const match = toQuery(scope, [])
    const totals = yield* first(reads.totals, {})
    const counts = totals === undefined ? [] : yield* countTexts(scope, totals)
    if (Math.min(...counts.map(({ texts }) => texts)) > few) return walkVectors(reads, now, match)
    const rows = yield* all(reads.vectorSeqs, { match, now })
    const seqs = rows.map(({ seq }) => seq).toSorted((a, b) => b - a)
    return ({ before, limit }) =>
      all(reads.vectorsBySeq, { seqs: seqs.filter((seq) => seq < before).slice(0, limit) })
  }

  return (query: MemoryQuery): ReadVectors => {
    const { now } = query
    const scope = toScope(query)
    if (scope.length === 0) return walkVectors(reads, now, undefined)
    let chosen: ReadVectors | undefined
    return function* readNext(args) {
      chosen ??= yield* choose(now, scope)
      return yield* chosen(args)
    }
  }
}
