/** What a spreadsheet takes for the start of a formula, also in the wide forms of East Asian texts. */
const startsFormula = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/

/**
 * One line of comma-separated values (RFC 4180). A text that a spreadsheet would run as a formula gets an apostrophe in
 * front: devices choose the names of their files, and people open exports by a double click.
 */
export function toCsvLine(cells: readonly unknown[]): string {
  return `${cells.map(toCell).join(',')}\r\n`
}

function toCell(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const safe = startsFormula.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
