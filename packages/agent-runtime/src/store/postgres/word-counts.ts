import { all } from '@homeward/kit/sql'
import { createCachedCounts } from '../sql/memories/cached-counts.ts'
import type { WordCount } from '../sql/memories/memory-ranking.ts'
import type { MemoryTotals } from '../sql/memories/memory-totals.ts'
import type { Plan } from '../sql/plan.ts'
import { toQuery } from './lexemes.ts'
import type { MemoryReads } from './memory-statements.ts'

/** Tells in how many texts lexemes are, in their order. */
export function createWordCounts(reads: MemoryReads) {
  const kept = createCachedCounts()

  return function* countTexts(words: readonly string[], totals: MemoryTotals): Plan<WordCount[]> {
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
