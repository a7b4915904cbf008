// Postgres has no text with the character 0 in it, and none with half a surrogate pair. Both are written in other
// characters, and so is the one that marks them.
const mark = '\u0010'
const marked = new RegExp(`${mark}(?:([01])|2([0-9a-f]{4}))`, 'g')

/** A value as Postgres takes it. */
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

function isSpecial(text: string): boolean {
  return text.includes('\u0000') || text.includes(mark) || !text.isWellFormed()
}
