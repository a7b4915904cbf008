/** A piece of a text, and whether it is a word that was searched for. */
export interface TextPiece {
  readonly text: string
  readonly isMatch: boolean
}

const longestShown = 2000
/** More words than that make no difference to a reader. */
const mostWords = 50

/**
 * Cuts a text at the words of a query, whatever their case. This is why it was found when the search goes by words; one
 * that goes by meaning too may find texts with none of them.
 */
export function markWords(text: string, query: string): TextPiece[] {
  const words = [...new Set(query.match(/[\p{L}\p{N}]+/gu) ?? [])].slice(0, mostWords)
  const shown = text.slice(0, longestShown)
  if (words.length === 0) return [{ text: shown, isMatch: false }]
  // Longer ones first: where one word begins with another, all of it is marked.
  const sorted = words.toSorted((a, b) => b.length - a.length)
  const pieces = shown.split(new RegExp(`(${sorted.join('|')})`, 'giu'))
  return pieces
    .map((piece, index) => ({ text: piece, isMatch: index % 2 === 1 }))
    .filter((piece) => piece.text !== '')
}
