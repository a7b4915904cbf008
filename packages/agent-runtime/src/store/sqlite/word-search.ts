import { all, first } from '@homeward/kit/sql'
import type { MemoryQuery, StoredMemory } from '../ports/memory-store.ts'
import { toQueryWords } from '../ranking/to-words.ts'
import { fromJson } from '../sql/json.ts'
import {
  type MemoryRow,
  type WordCount,
  type WordMatch,
  rankMemories,
  splitByCost,
} from '../sql/memories/memory-ranking.ts'
import type { MemoryTotals } from '../sql/memories/memory-totals.ts'
import type { Plan } from '../sql/plan.ts'
import type { MemoryReads } from './memory-statements.ts'
import { toMatch, toScopeWords, toScopeWordsOf } from './memory-words.ts'
import { createCachedCounts } from '../sql/memories/cached-counts.ts'

/** Texts that the index may rank for one question; what it costs grows with it. */
const defaultBudget = 5000
/** What it costs the index to pass over a text that the filter keeps out, where ranking one costs 1. */
const passCost = 0.25
/** From this share of all texts on that pass the filter, what was found is filtered, not the index. */
const nearlyAll = 0.9
/** Texts that are ranked again, exactly, by every word of the question. */
const minCandidates = 50
const maxNewest = 500

/** What a search has found so far. */
interface Candidates {
  readonly query: MemoryQuery
  readonly scope: readonly string[]
  /** How much of all texts the filter lets through, from 0 to 1. */
  readonly share: number
  readonly rows: Map<number, MemoryRow>
}

/** What is read next: by which statement, by which words, at most how many. */
type Wanted = readonly [statement: 'best' | 'newest', words: readonly WordCount[], most: number]

/**
 * Finds memories by the words of a question.
 *
 * The index picks candidates by the rarest words only: those that are in half of all texts cost nearly all the time
 * and decide nearly nothing. The candidates are then ranked by all words. When the rare words give too few, the newest
 * texts with any of the common ones follow.
 */
export function createWordSearch(reads: MemoryReads, budget = defaultBudget) {
  const countTexts = createWordCounts(reads)

  return function* searchWords(query: MemoryQuery): Plan<WordMatch[]> {
    const totals = yield* first(reads.totals, {})
    if (totals === undefined || totals.texts === 0) return []
    const scope = toScopeWords(query)
    const counts = (yield* countTexts(toQueryWords(query.text), totals)).toSorted((a, b) => a.texts - b.texts)
    const share = yield* shareOf(scope, totals)
    const { rare, common } = splitByCost(counts, budget / weightOf(share))

    const { limit } = query
    const candidates: Candidates = { query, scope, share, rows: new Map() }
    yield* read(candidates, 'best', rare, Math.max(minCandidates, 2 * limit))
    if (candidates.rows.size < limit) yield* read(candidates, 'newest', common, Math.max(maxNewest, limit))
    return rankMemories([...candidates.rows.values()], counts, totals).slice(0, limit)
  }

  function* read(candidates: Candidates, ...wanted: Wanted): Plan<void> {
    const [, words] = wanted
    if (words.length === 0) return
    for (const row of yield* find(candidates, ...wanted)) candidates.rows.set(row.seq, row)
  }

  function* find(
    { query, scope, share }: Candidates,
    ...[statement, words, most]: Wanted
  ): Plan<readonly MemoryRow[]> {
    const { now } = query
    const texts = words.map(({ word }) => word)
    if (share >= nearlyAll && scope.length > 0) {
      // Ranking by a filter's words too costs the index more than what they keep out.
      const found = yield* all(reads[statement], { match: toMatch([], texts), now, limit: most })
      const kept = found.filter((row) => isInScope(row, scope))
      if (kept.length === found.length || found.length < most) return kept
    }
    return yield* all(reads[statement], { match: toMatch(scope, texts), now, limit: most })
  }

  function* shareOf(scope: readonly string[], totals: MemoryTotals): Plan<number> {
    const counts = yield* countTexts(scope, totals)
    if (counts.length < scope.length) return 0
    return Math.min(1, ...counts.map(({ texts }) => texts / totals.texts))
  }
}

/** What a text with a word costs, when the filter lets this share of all texts through. */
function weightOf(share: number): number {
  return share >= 1 ? 1 : passCost + share
}

function isInScope(row: MemoryRow, scope: readonly string[]): boolean {
  const words = new Set(toScopeWordsOf(fromJson<StoredMemory>(row.memory)))
  return scope.every((word) => words.has(word))
}

/** Tells in how many texts words are; those in none are left out. */
function createWordCounts(reads: MemoryReads) {
  const kept = createCachedCounts()

  return function* countTexts(words: readonly string[], totals: MemoryTotals): Plan<WordCount[]> {
    const counts: WordCount[] = []
    for (const word of words) {
      const known = kept.find(word, totals)
      const texts = known ?? (yield* first(reads.countTexts, { word }))?.texts ?? 0
      if (known === undefined) kept.keep(word, texts, totals)
      if (texts > 0) counts.push({ word, texts })
    }
    return counts
  }
}
