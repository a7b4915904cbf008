import type { MemoryQuery } from '../ports/memory-store.ts'
import type { Corpus } from '../ranking/bm25.ts'
import { rarity } from '../ranking/bm25.ts'
import { toQueryWords } from '../ranking/to-words.ts'
import type { MemoryRow, WordCount, WordMatch } from '../sql/memory-ranking.ts'
import { rankMemories, splitByCost } from '../sql/memory-ranking.ts'
import type { Plan } from '../sql/plan.ts'
import { all, first } from '../sql/plan.ts'
import { toQuery, toScope } from './lexemes.ts'
import type { MemoryReads } from './memory-statements.ts'

/** Texts that Postgres may rank for one question; what it costs grows with it. */
const defaultBudget = 4000
/** Texts that are ranked again, exactly, by every word of the question. */
const minCandidates = 100
const maxNewest = 500
/** Counting a word takes the longer the more texts have it; from here on the count is kept. */
const keptFrom = 500
const maxKept = 10_000
/** How much the number of texts may change before a kept count is counted again. */
const tolerance = 0.1

/**
 * Finds memories by the words of a question: Postgres picks candidates by the rarest words, those are then ranked by
 * all words. When the rare words give too few, the newest texts with any of the common ones follow.
 */
export function createWordSearch(reads: MemoryReads, budget = defaultBudget) {
  const countTexts = createWordCounts(reads)

  return function* searchWords(query: MemoryQuery): Plan<WordMatch[]> {
    const corpus = yield* first(reads.totals, {})
    if (corpus === undefined || corpus.texts === 0) return []
    const scope = toScope(query)
    const words = toQueryWords(query.text)
    const counted = yield* countTexts([...scope, ...words], corpus)
    const scopeTexts = counted.slice(0, scope.length).map(({ texts }) => texts)
    const counts = counted
      .slice(scope.length)
      .filter(({ texts }) => texts > 0)
      .toSorted((a, b) => a.texts - b.texts)
    const share = Math.min(1, ...scopeTexts.map((texts) => texts / corpus.texts))
    if (counts.length === 0 || share === 0) return []

    const { rare, common } = splitByCost(counts, budget / share)
    const { now, limit } = query
    const rows = new Map<number, MemoryRow>()
    if (rare.length > 0) {
      const args = {
        match: toMatch(scope, rare),
        now,
        words: rare.map(({ word }) => toQuery([], [word])),
        rarities: rare.map(({ texts }) => rarity(corpus, texts)),
        average: Math.max(1, corpus.words / corpus.texts),
        limit: Math.max(minCandidates, 2 * limit),
      }
      for (const row of yield* all(reads.best, args)) rows.set(row.seq, row)
    }
    if (rows.size < limit && common.length > 0) {
      const args = { match: toMatch(scope, common), now, limit: Math.max(maxNewest, limit) }
      for (const row of yield* all(reads.newest, args)) rows.set(row.seq, row)
    }
    return rankMemories([...rows.values()], counts, corpus).slice(0, limit)
  }
}

/** Tells in how many texts lexemes are, in their order. */
function createWordCounts(reads: MemoryReads) {
  const kept = new Map<string, { readonly texts: number; readonly of: number }>()

  return function* countTexts(words: readonly string[], corpus: Corpus): Plan<WordCount[]> {
    const isKnown = (word: string) => {
      const before = kept.get(word)
      return before !== undefined && Math.abs(before.of - corpus.texts) <= tolerance * before.of
    }
    const asked = words.filter((word) => !isKnown(word))
    const counted = new Map<string, number>()
    if (asked.length > 0) {
      const rows = yield* all(reads.countTexts, { queries: asked.map((word) => toQuery([word], [])) })
      for (const [index, word] of asked.entries()) counted.set(word, rows[index]?.texts ?? 0)
    }
    const counts = words.map((word) => ({ word, texts: counted.get(word) ?? kept.get(word)?.texts ?? 0 }))
    for (const [word, texts] of counted) {
      kept.delete(word)
      if (texts < keptFrom) continue
      if (kept.size >= maxKept) kept.clear()
      kept.set(word, { texts, of: corpus.texts })
    }
    return counts
  }
}

function toMatch(scope: readonly string[], counts: readonly WordCount[]): string {
  return toQuery(
    scope,
    counts.map(({ word }) => word),
  )
}
