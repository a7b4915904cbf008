import { first } from '@homeward/kit/sql'
import { createCachedCounts } from '../sql/memories/cached-counts.ts'
import type { WordCount } from '../sql/memories/memory-ranking.ts'
import type { MemoryTotals } from '../sql/memories/memory-totals.ts'
import type { Plan } from '../sql/plan.ts'
import type { MemoryReads } from './memory-statements.ts'

/** Tells in how many texts words are; those in none are left out. */
export function createWordCounts(reads: MemoryReads) {
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
