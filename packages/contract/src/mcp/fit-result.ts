/** Cuts a text to at most `maxCharacters` and states how many characters were cut. */
export function truncateText(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text
  // no half of a surrogate pair
  const end = /[\uD800-\uDBFF]/.test(text[maxCharacters - 1] ?? '') ? maxCharacters - 1 : maxCharacters
  return `${text.slice(0, end)}… (${text.length - end} more characters)`
}

/**
 * Returns the first rows whose JSON fits, so that a result does not fill the model's prompt.
 *
 * @returns the rows, and the number of omitted rows.
 */
export function truncateRows<Row>(
  rows: readonly Row[],
  maxCharacters: number,
): { readonly rows: readonly Row[]; readonly left: number } {
  let length = 0
  let count = 0
  for (const row of rows) {
    length += JSON.stringify(row).length + 1
    if (length > maxCharacters) break
    count += 1
  }
  return { rows: rows.slice(0, count), left: rows.length - count }
}
