import { all, first } from '@homeward/kit/sql'
import type { MemoryQuery } from '../ports/memory-store.ts'
import { rarity } from '../ranking/bm25.ts'
import { toQueryWords } from '../ranking/to-words.ts'
import type { MemoryRow, WordCount, WordMatch } from '../sql/memories/memory-ranking.ts'
import { rankMemories, splitByCost } from '../sql/memories/memory-ranking.ts'
import type { MemoryTotals } from '../sql/memories/memory-totals.ts'
import type { Plan } from '../sql/plan.ts'
import { toQuery, toScope } from './lexemes.ts'
import type { MemoryReads } from './memory-statements.ts'
import { createWordCounts } from './word-counts.ts'

/** Texts that Postgres may rank for one question; what it costs grows with it. */
const defaultBudget = 4000
/** Texts that are ranked again, exactly, by every word of the question. */
const minCandidates = 100
/** Texts that only have common words, of which the best are looked for. */
const maxCommon = 500

/** What a search has found so far. */
interface Candidates {
  readonly query: MemoryQuery
  readonly totals: MemoryTotals
  readonly scope: readonly string[]
  readonly rows: Map<number, MemoryRow>
}

/**
 * Finds memories by the words of a question: Postgres picks candidates by the rarest words, those are then ranked by
 * all words. When the rare words give too few, the newest texts with any of the common ones follow, and where the
 * newest texts have none of them, any that do.
 */
export function createWordSearch(
  reads: MemoryReads,
  countTexts = createWordCounts(reads),
  budget = defaultBudget,
) {
  return function* searchWords(query: MemoryQuery): Plan<WordMatch[]> {
    const totals = yield* first(reads.totals, {})
    if (totals === undefined || totals.texts === 0) return []
    const scope = toScope(query)
    const counted = yield* countTexts([...scope, ...toQueryWords(query.text)], totals)
    const counts = counted
      .slice(scope.length)
      .filter(({ texts }) => texts > 0)
      .toSorted((a, b) => a.texts - b.texts)
    const inScope = Math.min(totals.texts, ...counted.slice(0, scope.length).map(({ texts }) => texts))
    if (counts.length === 0 || inScope === 0) return []

    const candidates: Candidates = { query, totals, scope, rows: new Map() }
    const { rare, common } = split(counts, inScope, totals)
    yield* findBest(candidates, rare)
    yield* findCommon(candidates, common)
    return rankMemories([...candidates.rows.values()], counts, totals).slice(0, query.limit)
  }

  /** What so few texts pass is ranked by all words; else as if words were spread evenly over what the filter keeps out. */
  function split(counts: readonly WordCount[], inScope: number, totals: MemoryTotals) {
    const maxTexts = inScope <= budget ? Number.POSITIVE_INFINITY : (budget / inScope) * totals.texts
    return splitByCost(counts, maxTexts)
  }

  function* findBest(candidates: Candidates, words: readonly WordCount[]): Plan<void> {
    if (words.length === 0) return
    const { query, totals, scope, rows } = candidates
    const args = {
      match: toMatch(scope, words),
      now: query.now,
      words: words.map(({ word }) => toQuery([], [word])),
      rarities: words.map(({ texts }) => rarity(totals, texts)),
      average: Math.max(1, totals.words / totals.texts),
      limit: Math.max(minCandidates, 2 * query.limit),
    }
    for (const row of yield* all(reads.best, args)) rows.set(row.seq, row)
  }

  function* findCommon({ query, scope, rows }: Candidates, words: readonly WordCount[]): Plan<void> {
    const { now, limit } = query
    const args = { match: toMatch(scope, words), now, limit: Math.max(maxCommon, limit) }
    for (const statement of ['newest', 'any'] as const) {
      if (words.length === 0 || rows.size >= limit) return
      for (const row of yield* all(reads[statement], args)) rows.set(row.seq, row)
    }
  }
}

function toMatch(scope: readonly string[], counts: readonly WordCount[]): string {
  return toQuery(
    scope,
    counts.map(({ word }) => word),
  )
}
