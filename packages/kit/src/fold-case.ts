const beyondAscii = /[^\0-\x7f]/

/**
 * Normalizes a text for comparison: letter case, kinds of white space, and composed or decomposed form.
 *
 * Each letter is folded separately, because the lowercase form of a whole text depends on neighbors: `Σ` has two. The
 * length may change: `ß` becomes `ss`.
 */
export function foldCase(value: string): string {
  // The dot of `İ` stays as a mark of its own, and a reader does not type it.
  return foldLetters(value, (letter) => letter.toLowerCase().toUpperCase().toLowerCase()).replaceAll(
    'i\u0307',
    'i',
  )
}

/**
 * Like {@link foldCase}, but every letter stays one letter: `ß` stays `ß`. Use it for patterns that count characters.
 */
export function foldEachLetter(value: string): string {
  return foldLetters(value, (letter) => {
    const lower = letter.toLowerCase()
    if (lower === 'i\u0307') return 'i'
    const isOne = Array.from(lower).length === 1
    return lower === 'ς' ? 'σ' : isOne ? lower : letter
  })
}

function foldLetters(value: string, fold: (letter: string) => string): string {
  // Most names are ASCII, and this is asked for millions of them.
  if (!beyondAscii.test(value)) return value.toLowerCase()
  // macOS stores some names decomposed.
  return (
    value
      .normalize('NFC')
      // macOS and word processors write spaces that no keyboard has.
      .replaceAll(/\p{Zs}/gu, ' ')
      .replaceAll(/[^\0-\x7f]/gu, fold)
      .replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
      .normalize('NFC')
  )
}

/** Replaces every dash and the minus sign with a hyphen. */
export function foldDashes(value: string): string {
  return beyondAscii.test(value) ? value.replaceAll(/[\p{Pd}\u2212\u2043]/gu, '-') : value
}

/** Letters that Unicode does not take apart, as those write them who do not have them. */
const strokes: Readonly<Record<string, string>> = { ø: 'o', ł: 'l', đ: 'd', ħ: 'h', æ: 'ae', œ: 'oe', ı: 'i' }

/**
 * Removes the accents of a folded text: `müller` becomes `muller`. Marks that are part of a letter, as in Hindi and
 * Japanese, stay.
 */
export function foldAccents(folded: string): string {
  if (!beyondAscii.test(folded)) return folded
  return folded
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .replaceAll(/[øłđħæœı]/g, (letter) => strokes[letter] ?? letter)
    .normalize('NFC')
}
