import type { CorpusTotals } from './corpus-totals.ts'

/** Counting a word takes the longer the more texts have it; from here on the count is stored. */
const keptFrom = 500
const maxKept = 10_000
/** How much of a count may have become wrong before it is made again. */
const tolerance = 0.1

interface KeptCount {
  readonly texts: number
  readonly of: CorpusTotals
}

/** Remembers in how many texts common words are. */
interface CachedCounts {
  /** In how many texts a word was, unless so many texts were written or deleted since that it may be far more or fewer. */
  find(word: string, totals: CorpusTotals): number | undefined
  keep(word: string, texts: number, totals: CorpusTotals): void
}

/** Makes an empty {@link CachedCounts}. */
export function createCachedCounts(): CachedCounts {
  const kept = new Map<string, KeptCount>()
  return {
    find(word, totals) {
      const count = kept.get(word)
      if (count === undefined) return undefined
      // Any of the texts that came or went may have had the word.
      const { texts, newest } = count.of
      const changed = Math.max(Math.abs(totals.texts - texts), Math.abs(totals.newest - newest))
      return changed <= Math.max(keptFrom, tolerance * count.texts) ? count.texts : undefined
    },
    keep(word, texts, totals) {
      kept.delete(word)
      if (texts < keptFrom) return
      if (kept.size >= maxKept) kept.clear()
      kept.set(word, { texts, of: totals })
    },
  }
}
