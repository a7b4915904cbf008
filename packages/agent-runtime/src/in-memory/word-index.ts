import { rarity, wordScore } from '../store/ranking/bm25.ts'
import { toQueryWords, toWords } from '../store/ranking/to-words.ts'

/** Finds things by the words of their text. */
export interface WordIndex<Item> {
  add(item: Item, text: string): void
  remove(item: Item, text: string): void
  /** What has any of the words of a question and passes `accepts`, the best by BM25 first. */
  search(question: string, accepts: (item: Item) => boolean): { item: Item; score: number }[]
}

/** An empty index. */
export function createWordIndex<Item>(): WordIndex<Item> {
  /** By word: how often each item has it. */
  const counts = new Map<string, Map<Item, number>>()
  const lengths = new Map<Item, number>()
  let words = 0

  return {
    add(item, text) {
      const own = toWords(text)
      lengths.set(item, own.length)
      words += own.length
      for (const word of own) {
        const items = counts.get(word) ?? new Map<Item, number>()
        counts.set(word, items)
        items.set(item, (items.get(item) ?? 0) + 1)
      }
    },
    remove(item, text) {
      words -= lengths.get(item) ?? 0
      lengths.delete(item)
      for (const word of toWords(text)) {
        const items = counts.get(word)
        items?.delete(item)
        if (items?.size === 0) counts.delete(word)
      }
    },
    search(question, accepts) {
      const corpus = { texts: lengths.size, words }
      const scores = new Map<Item, number>()
      for (const word of toQueryWords(question)) {
        const items = counts.get(word)
        if (items === undefined) continue
        const wordRarity = rarity(corpus, items.size)
        for (const [item, count] of items) {
          if (!accepts(item)) continue
          const score = wordScore(corpus, wordRarity, count, lengths.get(item) ?? 0)
          scores.set(item, (scores.get(item) ?? 0) + score)
        }
      }
      return [...scores].map(([item, score]) => ({ item, score })).toSorted((a, b) => b.score - a.score)
    },
  }
}
