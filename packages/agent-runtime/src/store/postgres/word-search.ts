import { all, first } from '@homeward/kit/sql'
import { rarity } from '../ranking/bm25.ts'
import { toQueryWords } from '../ranking/to-words.ts'
import type { Plan } from '../sql/plan.ts'
import type { CorpusTotals } from '../sql/search/corpus-totals.ts'
import {
  rankRows,
  type RowShape,
  type SearchRow,
  splitByCost,
  type WordCount,
  type WordMatch,
} from '../sql/search/rank-rows.ts'
import { toQuery } from './lexemes.ts'
import { createWordCounts } from './word-counts.ts'
import type { WordReads } from './word-reads.ts'

/** Texts that Postgres may rank for one question; what it costs grows with it. */
const defaultBudget = 4000
/** Texts that are ranked again, exactly, by every word of the question. */
const minCandidates = 100
/** Texts that only have common words, of which the best are looked for. */
const maxCommon = 500

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
  /** What a question is filtered by, as lexemes. */
  scopeOf(query: Query): readonly string[]
}

/** What a search has found so far. */
interface Candidates<Row> {
  readonly query: WordQuery
  readonly totals: CorpusTotals
  readonly scope: readonly string[]
  readonly rows: Map<number, Row>
}

/**
 * Finds texts by the words of a question: Postgres picks candidates by the rarest words, those are then ranked by
 * all words. When the rare words give too few, the newest texts with any of the common ones follow, and where the
 * newest texts have none of them, any that do.
 */
export function createWordSearch<Query extends WordQuery, Row extends SearchRow, Item>(
  searched: SearchedWords<Query, Row, Item>,
  countTexts = createWordCounts(searched.reads),
  budget = defaultBudget,
) {
  const { reads } = searched

  return function* searchWords(query: Query): Plan<WordMatch<Item>[]> {
    const totals = yield* first(reads.totals, {})
    if (totals === undefined || totals.texts === 0) return []
    const scope = searched.scopeOf(query)
    const counted = yield* countTexts([...scope, ...toQueryWords(query.text)], totals)
    const counts = counted
      .slice(scope.length)
      .filter(({ texts }) => texts > 0)
      .toSorted((a, b) => a.texts - b.texts)
    const inScope = Math.min(totals.texts, ...counted.slice(0, scope.length).map(({ texts }) => texts))
    if (counts.length === 0 || inScope === 0) return []

    const candidates: Candidates<Row> = { query, totals, scope, rows: new Map() }
    const { rare, common } = split(counts, inScope, totals)
    yield* findBest(candidates, rare)
    yield* findCommon(candidates, common)
    return rankRows([...candidates.rows.values()], counts, totals, searched).slice(0, query.limit)
  }

  /** What so few texts pass is ranked by all words; else as if words were spread evenly over what the filter keeps out. */
  function split(counts: readonly WordCount[], inScope: number, totals: CorpusTotals) {
    const maxTexts = inScope <= budget ? Number.POSITIVE_INFINITY : (budget / inScope) * totals.texts
    return splitByCost(counts, maxTexts)
  }

  function* findBest(candidates: Candidates<Row>, words: readonly WordCount[]): Plan<void> {
    if (words.length === 0) return
    const { query, totals, scope, rows } = candidates
    const args = {
      match: toMatch(scope, words),
      now: query.now ?? '',
      words: words.map(({ word }) => toQuery([], [word])),
      rarities: words.map(({ texts }) => rarity(totals, texts)),
      average: Math.max(1, totals.words / totals.texts),
      limit: Math.max(minCandidates, 2 * query.limit),
    }
    for (const row of yield* all(reads.best, args)) rows.set(row.seq, row)
  }

  function* findCommon({ query, scope, rows }: Candidates<Row>, words: readonly WordCount[]): Plan<void> {
    const { now = '', limit } = query
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
