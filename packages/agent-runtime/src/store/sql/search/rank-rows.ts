import type { Corpus } from '../../ranking/bm25.ts'
import { rarity, wordScore } from '../../ranking/bm25.ts'
import { countWord } from '../../ranking/count-word.ts'
import { foldText } from '../../ranking/to-words.ts'

/** A text that an index found. */
export interface SearchRow {
  readonly seq: number
  readonly words: number
}

/** What is to be known of the rows of an index. */
export interface RowShape<Row extends SearchRow, Item> {
  /** What stands in a row. */
  toItem(row: Row): Item
  /** The text that it is found by. */
  textOf(item: Item): string
}

/** Something that matched. */
export interface WordMatch<Item> {
  readonly seq: number
  readonly item: Item
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
export function rankRows<Row extends SearchRow, Item>(
  rows: readonly Row[],
  counts: readonly WordCount[],
  corpus: Corpus,
  { toItem, textOf }: RowShape<Row, Item>,
): WordMatch<Item>[] {
  const rarities = counts.map(({ word, texts }) => ({ word, rarity: rarity(corpus, texts) }))
  const matches = rows.map((row) => {
    const item = toItem(row)
    const folded = foldText(textOf(item))
    let score = 0
    for (const { word, rarity: wordRarity } of rarities) {
      score += wordScore(corpus, wordRarity, countWord(folded, word), row.words)
    }
    return { seq: row.seq, item, score }
  })
  return matches.toSorted((a, b) => b.score - a.score || b.seq - a.seq)
}
