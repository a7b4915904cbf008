// Postgres has no text with the character 0 in it: it is written as two characters, and so is the one that marks it.
const mark = '\u0010'

/** A value as Postgres takes it. */
export function toParameter(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toParameter)
  if (typeof value !== 'string' || !(value.includes('\u0000') || value.includes(mark))) return value
  return value.replaceAll(mark, `${mark}1`).replaceAll('\u0000', `${mark}0`)
}

/** The text that {@link toParameter} was given. */
export function toText(text: string): string {
  return text.includes(mark) ? text.replaceAll(`${mark}0`, '\u0000').replaceAll(`${mark}1`, mark) : text
}
