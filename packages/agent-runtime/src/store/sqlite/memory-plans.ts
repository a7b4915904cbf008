import type { Kysely } from 'kysely'
import { buildOnce, all, each, first } from '@homeward/kit/sql'
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
import { createVectorSearch, walkVectors } from '../sql/search/vector-search.ts'
import { createMemoryReads, createMemoryWrites } from './memory-statements.ts'
import { toMatch, toScopeWords, toScopeWordsOf } from './memory-words.ts'
import { createWordSearch } from './word-search.ts'

/** How many memories are read at once when they get another user. */
const movedAtOnce = 200

/** The verbs of `MemoryStore` as plans, over FTS5. Writing costs four statements. */
export function createMemoryPlans(db: Kysely<RuntimeTables>, options: { readonly maxVectors: number }) {
  const writes = buildOnce(db, createMemoryWrites)
  const reads = buildOnce(db, createMemoryReads)

  function* forget(removed: readonly RemovedMemory[]): Plan<void> {
    if (removed.length === 0) return
    yield* each(writes.deleteWords, removed)
    const words = removed.reduce((sum, row) => sum + row.words, 0)
    yield* all(writes.addTotals, { texts: -removed.length, words: -words })
  }

  const search = createFusedSearch<MemoryQuery, StoredMemory>({
    searchWords: createWordSearch({
      ...memoryShape,
      reads,
      scopeOf: (query: MemoryQuery) => toScopeWords(query),
      scopeOfItem: toScopeWordsOf,
    }),
    // The index of words is in the order of the numbers: a walk within a filter meets nothing else.
    searchVectors: createVectorSearch((query) => {
      const scope = toScopeWords(query)
      return walkVectors(reads, query.now, scope.length === 0 ? undefined : toMatch(scope, []))
    }, options),
    *read(seqs) {
      const found = new Map<number, StoredMemory>()
      for (const seq of seqs) {
        const row = yield* first(reads.bySeq, { seq })
        if (row !== undefined) found.set(seq, fromJson<StoredMemory>(row.memory))
      }
      return found
    },
  })

  return {
    *writeMemory(memory: StoredMemory): Plan<void> {
      const { embedding, embeddingModel, ...rest } = memory
      yield* forget(yield* all(writes.deleteExpired, { now: memory.createdAt }))
      const words = toWords(memory.text)
      const row = yield* first(writes.insert, {
        id: memory.id,
        memory: JSON.stringify(rest),
        words: words.length,
        expires_at: memory.expiresAt ?? null,
        embedding: toBytes(embedding),
        embedding_model: embeddingModel ?? null,
      })
      yield* all(writes.insertWords, {
        seq: row?.seq ?? 0,
        scope: toScopeWordsOf(memory).join(' '),
        text: words.join(' '),
      })
      yield* all(writes.addTotals, { texts: 1, words: words.length })
    },

    *findMemory(id: string): Plan<StoredMemory | undefined> {
      const row = yield* first(reads.byId, { id })
      return row && fromJson<StoredMemory>(row.memory)
    },

    *searchMemories(query: MemoryQuery): Plan<ScoredMemory[]> {
      return (yield* search(query)).map(({ item: memory, score }) => ({ memory, score }))
    },

    *listMemories(filter: MemoryFilter, page: PageRequest): Plan<Page<StoredMemory>> {
      const scope = toScopeWords(filter)
      const before = numberPositionOf(page) ?? Number.MAX_SAFE_INTEGER
      const args = { before, now: filter.now, limit: page.limit + 1 }
      const rows =
        scope.length === 0
          ? yield* all(reads.listed, args)
          : yield* all(reads.listedMatching, { ...args, match: toMatch(scope, []) })
      return toPage(rows, page.limit, memoryShape.toItem, ({ seq }) => [seq])
    },

    *moveMemories(from: string, to: string): Plan<void> {
      for (;;) {
        const match = toMatch(toScopeWords({ userId: from }), [])
        const rows = yield* all(writes.listMatching, { match, limit: movedAtOnce })
        for (const { seq, memory: text } of rows) {
          const memory = { ...fromJson<StoredMemory>(text), userId: to }
          yield* all(writes.deleteWords, { seq, words: 0 })
          const words = toWords(memory.text).join(' ')
          yield* all(writes.insertWords, { seq, scope: toScopeWordsOf(memory).join(' '), text: words })
          yield* all(writes.replace, { seq, memory: JSON.stringify(memory) })
        }
        if (rows.length < movedAtOnce) return
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
  return vector === undefined ? null : new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
}
