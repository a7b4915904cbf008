import type { Corpus } from '../ranking/bm25.ts'
import type { WordCount } from '../sql/memory-ranking.ts'
import type { Plan } from '../sql/plan.ts'
import { first } from '../sql/plan.ts'
import type { MemoryReads } from './memory-statements.ts'

/** Counting a word takes the longer the more texts have it; from here on the count is kept. */
const keptFrom = 500
const maxKept = 10_000
/** How much the number of texts may change before a kept count is counted again. */
const tolerance = 0.1

/** Tells in how many texts words are; those in none are left out. */
export function createWordCounts(reads: MemoryReads) {
  const kept = new Map<string, { readonly texts: number; readonly of: number }>()

  return function* countTexts(words: readonly string[], corpus: Corpus): Plan<WordCount[]> {
    const counts: WordCount[] = []
    for (const word of words) {
      const before = kept.get(word)
      if (before !== undefined && Math.abs(before.of - corpus.texts) <= tolerance * before.of) {
        counts.push({ word, texts: before.texts })
        continue
      }
      const texts = (yield* first(reads.countTexts, { word }))?.texts ?? 0
      if (texts > 0) counts.push({ word, texts })
      kept.delete(word)
      if (texts < keptFrom) continue
      if (kept.size >= maxKept) kept.clear()
      kept.set(word, { texts, of: corpus.texts })
    }
    return counts
  }
}
