import type { StoredMemory } from '../../ports/memory-store.ts'
import type { Corpus } from '../../ranking/bm25.ts'
import { rarity, wordScore } from '../../ranking/bm25.ts'
import { countWord } from '../../ranking/count-word.ts'
import { foldText } from '../../ranking/to-words.ts'
import { fromJson } from '../json.ts'

/** A memory that an index found. */
export interface MemoryRow {
  readonly seq: number
  /** JSON of everything but the vector. */
  readonly memory: string
  readonly words: number
}

/** A memory that matched. */
export interface WordMatch {
  readonly seq: number
  readonly memory: StoredMemory
  readonly score: number
}

/** A word, and in how many texts it is. */
export interface WordCount {
  readonly word: string
  readonly texts: number
}

/**
 * The rarest words, as long as there are at most so many texts with them; and the others.
 *
 * @param counts the rarest first.
 */
export function splitByCost(
  counts: readonly WordCount[],
  maxTexts: number,
): { rare: readonly WordCount[]; common: readonly WordCount[] } {
  let texts = 0
  const end = counts.findIndex((count) => (texts += count.texts) > maxTexts)
  if (end === -1) return { rare: counts, common: [] }
  return { rare: counts.slice(0, end), common: counts.slice(end) }
}

/** Ranks what an index found by all words of a question: the same whatever the database. The best come first. */
export function rankMemories(
  rows: readonly MemoryRow[],
  counts: readonly WordCount[],
  corpus: Corpus,
): WordMatch[] {
  const rarities = counts.map(({ word, texts }) => ({ word, rarity: rarity(corpus, texts) }))
  const matches = rows.map((row) => {
    const memory = fromJson<StoredMemory>(row.memory)
    const folded = foldText(memory.text)
    let score = 0
    for (const { word, rarity: wordRarity } of rarities) {
      score += wordScore(corpus, wordRarity, countWord(folded, word), row.words)
    }
    return { seq: row.seq, memory, score }
  })
  return matches.toSorted((a, b) => b.score - a.score || b.seq - a.seq)
}
