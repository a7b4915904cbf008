import { isUnspacedCharacter, isWordCharacter, maxWordLength } from './to-words.ts'

/**
 * How often a text has a word, without splitting all of it: as often as `toWords` gives it.
 *
 * @param folded the text after `foldText`
 * @param word a word of `toWords` or `toQueryWords`
 */
export function countWord(folded: string, word: string): number {
  const unspaced = isUnspacedCharacter(word.codePointAt(0))
  let count = 0
  let start = folded.indexOf(word)
  while (start !== -1) {
    const end = start + word.length
    if (unspaced || (isEdge(folded, start, 'before') && isEnd(folded, end, word))) count += 1
    start = folded.indexOf(word, unspaced ? start + 1 : end)
  }
  return count
}

function isEnd(folded: string, end: number, word: string): boolean {
  // Of a very long word only the beginning was kept.
  return word.length >= maxWordLength - 1 || isEdge(folded, end, 'behind')
}

function isEdge(folded: string, place: number, side: 'before' | 'behind'): boolean {
  if (side === 'behind') return !belongs(folded.codePointAt(place))
  const unit = folded.charCodeAt(place - 1)
  const isLowHalf = unit >= 0xdc00 && unit <= 0xdfff
  return !belongs(folded.codePointAt(isLowHalf ? place - 2 : place - 1))
}

function belongs(character: number | undefined): boolean {
  return isWordCharacter(character) && !isUnspacedCharacter(character)
}
