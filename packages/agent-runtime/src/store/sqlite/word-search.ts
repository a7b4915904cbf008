import { all, first } from '@homeward/kit/sql'
import { toQueryWords } from '../ranking/to-words.ts'
import type { Plan } from '../sql/plan.ts'
import { createCachedCounts } from '../sql/search/cached-counts.ts'
import type { CorpusTotals } from '../sql/search/corpus-totals.ts'
import {
  rankRows,
  type RowShape,
  type SearchRow,
  splitByCost,
  type WordCount,
  type WordMatch,
} from '../sql/search/rank-rows.ts'
import { toMatch } from './memory-words.ts'
import type { WordReads } from './word-reads.ts'

/** Texts that the index may rank for one question; what it costs grows with it. */
const defaultBudget = 5000
/** What it costs the index to pass over a text that the filter keeps out, where ranking one costs 1. */
const passCost = 0.25
/** From this share of all texts on that pass the filter, what was found is filtered, not the index. */
const nearlyAll = 0.9
/** Texts that are ranked again, exactly, by every word of the question. */
const minCandidates = 50
const maxNewest = 500

/** What is asked. */
interface WordQuery {
  readonly text: string
  readonly limit: number
  /** What expired before is not found. @default nothing has */
  readonly now?: string
}

/** What is searched, and how it is filtered. */
interface SearchedWords<Query, Row extends SearchRow, Item> extends RowShape<Row, Item> {
  readonly reads: WordReads<Row>
  /** What a question is filtered by, as words of the index. */
  scopeOf(query: Query): readonly string[]
  /** What filters find a thing by. */
  scopeOfItem(item: Item): readonly string[]
}

/** What a search has found so far. */
interface Candidates<Row> {
  readonly query: WordQuery
  readonly scope: readonly string[]
  /** How much of all texts the filter lets through, from 0 to 1. */
  readonly share: number
  readonly rows: Map<number, Row>
}

/** What is read next: by which statement, by which words, at most how many. */
type Wanted = readonly [statement: 'best' | 'newest', words: readonly WordCount[], most: number]

/**
 * Finds texts by the words of a question.
 *
 * The index picks candidates by the rarest words only: those that are in half of all texts cost nearly all the time
 * and decide nearly nothing. The candidates are then ranked by all words. When the rare words give too few, the newest
 * texts with any of the common ones follow.
 */
export function createWordSearch<Query extends WordQuery, Row extends SearchRow, Item>(
  searched: SearchedWords<Query, Row, Item>,
  budget = defaultBudget,
) {
  const { reads } = searched
  const countTexts = createWordCounts(reads)

  return function* searchWords(query: Query): Plan<WordMatch<Item>[]> {
    const totals = yield* first(reads.totals, {})
    if (totals === undefined || totals.texts === 0) return []
    const scope = searched.scopeOf(query)
    const counts = (yield* countTexts(toQueryWords(query.text), totals)).toSorted((a, b) => a.texts - b.texts)
    const share = yield* shareOf(scope, totals)
    const { rare, common } = splitByCost(counts, budget / weightOf(share))

    const { limit } = query
    const candidates: Candidates<Row> = { query, scope, share, rows: new Map() }
    yield* read(candidates, 'best', rare, Math.max(minCandidates, 2 * limit))
    if (candidates.rows.size < limit) yield* read(candidates, 'newest', common, Math.max(maxNewest, limit))
    return rankRows([...candidates.rows.values()], counts, totals, searched).slice(0, limit)
  }

  function* read(candidates: Candidates<Row>, ...wanted: Wanted): Plan<void> {
    const [, words] = wanted
    if (words.length === 0) return
    for (const row of yield* find(candidates, ...wanted)) candidates.rows.set(row.seq, row)
  }

  function* find(
    { query, scope, share }: Candidates<Row>,
    ...[statement, words, most]: Wanted
  ): Plan<readonly Row[]> {
    const { now = '' } = query
    const texts = words.map(({ word }) => word)
    if (share >= nearlyAll && scope.length > 0) {
      // Ranking by a filter's words too costs the index more than what they keep out.
      const found = yield* all(reads[statement], { match: toMatch([], texts), now, limit: most })
      const kept = found.filter((row) => isInScope(row, scope))
      if (kept.length === found.length || found.length < most) return kept
    }
    return yield* all(reads[statement], { match: toMatch(scope, texts), now, limit: most })
  }

  function isInScope(row: Row, scope: readonly string[]): boolean {
    const words = new Set(searched.scopeOfItem(searched.toItem(row)))
    return scope.every((word) => words.has(word))
  }

  function* shareOf(scope: readonly string[], totals: CorpusTotals): Plan<number> {
    const counts = yield* countTexts(scope, totals)
    if (counts.length < scope.length) return 0
    return Math.min(1, ...counts.map(({ texts }) => texts / totals.texts))
  }
}

/** What a text with a word costs, when the filter lets this share of all texts through. */
function weightOf(share: number): number {
  return share >= 1 ? 1 : passCost + share
}

/** Tells in how many texts words are; those in none are left out. */
function createWordCounts(reads: Pick<WordReads<SearchRow>, 'countTexts'>) {
  const kept = createCachedCounts()

  return function* countTexts(words: readonly string[], totals: CorpusTotals): Plan<WordCount[]> {
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
