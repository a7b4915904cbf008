import { all } from '@homeward/kit/sql'
import type { Plan } from '../sql/plan.ts'
import { createCachedCounts } from '../sql/search/cached-counts.ts'
import type { CorpusTotals } from '../sql/search/corpus-totals.ts'
import type { WordCount } from '../sql/search/rank-rows.ts'
import { toQuery } from './lexemes.ts'
import type { WordReads } from './word-reads.ts'

/** Tells in how many texts lexemes are, in their order. */
export function createWordCounts(reads: Pick<WordReads<unknown>, 'countTexts'>) {
  const kept = createCachedCounts()

  return function* countTexts(words: readonly string[], totals: CorpusTotals): Plan<WordCount[]> {
    const counts = new Map(words.map((word) => [word, kept.find(word, totals)]))
    const asked = words.filter((word) => counts.get(word) === undefined)
    if (asked.length > 0) {
      const rows = yield* all(reads.countTexts, { queries: asked.map((word) => toQuery([word], [])) })
      for (const [index, word] of asked.entries()) {
        const texts = rows[index]?.texts ?? 0
        counts.set(word, texts)
        kept.keep(word, texts, totals)
      }
    }
    return words.map((word) => ({ word, texts: counts.get(word) ?? 0 }))
  }
}

/** See {@link createWordCounts}. */
export type CountTexts = ReturnType<typeof createWordCounts>
