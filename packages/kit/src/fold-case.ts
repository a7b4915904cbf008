const beyondAscii = /[^\0-\x7f]/

/**
 * Makes texts comparable in any letter case, with any blank, and in composed or decomposed form. Each letter is folded on its own, because the
 * lower case of a whole text depends on neighbors: `Σ` has two. Lengths may change: `ß` becomes `ss`.
 */
export function foldCase(value: string): string {
  // The dot of `İ` stays as a mark of its own, and a reader does not type it.
  return foldLetters(value, (letter) => letter.toLowerCase().toUpperCase().toLowerCase()).replaceAll(
    'i\u0307',
    'i',
  )
}

/** Like {@link foldCase}, but each letter stays one: `ß` stays `ß`. For patterns that count characters. */
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

/** Makes every dash a hyphen, also the minus sign. */
export function foldDashes(value: string): string {
  return beyondAscii.test(value) ? value.replaceAll(/[\p{Pd}\u2212\u2043]/gu, '-') : value
}

/** Letters that Unicode does not take apart, as those write them who do not have them. */
const strokes: Readonly<Record<string, string>> = { ø: 'o', ł: 'l', đ: 'd', ħ: 'h', æ: 'ae', œ: 'oe', ı: 'i' }

/**
 * Takes the accents off a folded text: `müller` becomes `muller`. Marks that are letters of their own, as those of Hindi
 * and Japanese, stay.
 */
export function foldAccents(folded: string): string {
  if (!beyondAscii.test(folded)) return folded
  return folded
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .replaceAll(/[øłđħæœı]/g, (letter) => strokes[letter] ?? letter)
    .normalize('NFC')
}
