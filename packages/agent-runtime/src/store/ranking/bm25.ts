const saturation = 1.2
const lengthWeight = 0.75

/** What is known about all texts together. */
export interface Corpus {
  readonly texts: number
  /** Words of all texts. */
  readonly words: number
}

/** How much a word tells: the fewer texts have it, the more. Always positive. */
export function rarity(corpus: Corpus, textsWithWord: number): number {
  const having = Math.min(textsWithWord, corpus.texts)
  return Math.log1p((corpus.texts - having + 0.5) / (having + 0.5))
}

/** What one word adds to a text's BM25 score: `count` times in a text of `length` words. */
export function wordScore(corpus: Corpus, wordRarity: number, count: number, length: number): number {
  const average = corpus.texts === 0 ? 1 : Math.max(1, corpus.words / corpus.texts)
  const norm = saturation * (1 - lengthWeight + (lengthWeight * length) / average)
  return (wordRarity * count * (saturation + 1)) / (count + norm)
}
