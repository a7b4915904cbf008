// Postgres has no text with the character 0 in it, and none with half a surrogate pair. Node 22 reads text out of SQLite up to
// its first character 0 only, and SQLite keeps no half of a pair either. Both are written in other characters, and so is the
// one that marks them.
const mark = '\u0010'
const marked = new RegExp(`${mark}(?:([01])|2([0-9a-f]{4}))`, 'g')

/** A value as the database takes it. */
export function toParameter(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toParameter)
  if (typeof value !== 'string' || !isSpecial(value)) return value
  return value
    .replaceAll(mark, `${mark}1`)
    .replaceAll('\u0000', `${mark}0`)
    .replaceAll(/\p{Surrogate}/gu, (half) => `${mark}2${half.charCodeAt(0).toString(16)}`)
}

/** The text that {@link toParameter} was given. */
export function toText(text: string): string {
  if (!text.includes(mark)) return text
  return text.replaceAll(marked, (_, sign: string | undefined, half: string | undefined) => {
    if (half !== undefined) return String.fromCharCode(Number.parseInt(half, 16))
    return sign === '0' ? '\u0000' : mark
  })
}

/** Texts of a row that the database gave, as they were written. In place: who reads rows gets each one new. */
export function restoreTexts(row: Record<string, unknown>): void {
  for (const name in row) {
    const value = row[name]
    if (typeof value === 'string' && value.includes(mark)) row[name] = toText(value)
  }
}

function isSpecial(text: string): boolean {
  return text.includes('\u0000') || text.includes(mark) || !text.isWellFormed()
}
