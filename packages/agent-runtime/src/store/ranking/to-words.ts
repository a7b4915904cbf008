/** Longest word that is told apart; of a longer one the beginning counts. In UTF-16 units. */
export const maxWordLength = 64
/** Most words of a question that are looked for. */
const maxQueryWords = 64

// Scripts that put no spaces between words; Korean does, but glues particles to them. A flag is a pair of letters of its own.
const unspaced =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Bopomofo}' +
  '\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}\\u30fc\\p{Regional_Indicator}'
const picture = '\\p{Extended_Pictographic}'
const unspacedStart = new RegExp(`^[${unspaced}]`, 'u')
const aloneStart = new RegExp(`^[${unspaced}${picture}]`, 'u')
const wordStart = /^[\p{L}\p{N}\p{M}]/u
const runs = new RegExp(
  `[${unspaced}]+|${picture}|(?:(?![${unspaced}${picture}])[\\p{L}\\p{N}\\p{M}])+`,
  'gu',
)
const asciiRuns = /[a-z0-9]+/g
// Accents; the points and strokes of Hebrew and Arabic, which most people leave out; how an emoji is to look.
const marks =
  /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed]|\p{Variation_Selector}/gu
// eslint-disable-next-line no-control-regex -- exactly the characters that need no folding
const ascii = /^[\u0000-\u007f]*$/

/** Text as it is compared: small letters, without accents and vowel points, one form for each character. */
export function foldText(text: string): string {
  const lower = text.toLowerCase()
  if (ascii.test(lower)) return lower
  const plain = lower.normalize('NFKD').replace(marks, '').normalize('NFC').toLowerCase()
  // what small letters do not make one of two capitals' spellings: STRASSE, ΟΔΟΣ
  return plain.replaceAll('ς', 'σ').replaceAll('ß', 'ss')
}

/**
 * The words by which a text is found, in their order, with repeats.
 *
 * Of scripts without spaces these are all single characters and all pairs of neighbours: pairs find words of any length
 * in them, the single ones serve questions of one character. An emoji is a word, without its colour of skin.
 */
export function toWords(text: string): string[] {
  return runsOf(text).flatMap((run) => {
    if (!unspacedStart.test(run)) return cut(run)
    const characters = Array.from(run)
    return [...characters, ...toPairs(characters)] // not as arguments: of a long text they would be too many
  })
}

/** The words that a question asks for, each once: its own words, and of scripts without spaces pairs of neighbours. */
export function toQueryWords(text: string): string[] {
  const words = new Set<string>()
  for (const run of runsOf(text)) {
    if (!unspacedStart.test(run)) words.add(cut(run))
    else {
      const characters = Array.from(run)
      for (const word of characters.length === 1 ? characters : toPairs(characters)) words.add(word)
    }
    if (words.size >= maxQueryWords) break
  }
  return [...words].slice(0, maxQueryWords)
}

/** Whether a character is part of words. */
export function isWordCharacter(codePoint: number | undefined): boolean {
  if (codePoint === undefined) return false
  if (codePoint < 0x80) return isAsciiWordCharacter(codePoint)
  return wordStart.test(String.fromCodePoint(codePoint))
}

/** Whether words begin and end at a character wherever it stands: of a script without spaces, or an emoji. */
export function isUnspacedCharacter(codePoint: number | undefined): boolean {
  return codePoint !== undefined && codePoint >= 0x80 && aloneStart.test(String.fromCodePoint(codePoint))
}

function isAsciiWordCharacter(codePoint: number): boolean {
  // Of folded text: there are no capitals.
  return (codePoint >= 0x61 && codePoint <= 0x7a) || (codePoint >= 0x30 && codePoint <= 0x39)
}

function runsOf(text: string): readonly string[] {
  const folded = foldText(text)
  return folded.match(ascii.test(folded) ? asciiRuns : runs) ?? []
}

function toPairs(characters: readonly string[]): string[] {
  return characters.slice(1).map((character, index) => `${characters[index] ?? ''}${character}`)
}

function cut(word: string): string {
  if (word.length <= maxWordLength) return word
  const start = word.slice(0, maxWordLength)
  // Half of a character is none.
  return start.isWellFormed() ? start : start.slice(0, -1)
}
