/** Columns of a file: their name, and what a row has there. */
type CsvColumns<Row> = readonly (readonly [name: string, value: (row: Row) => string | number | undefined])[]

/**
 * Rows as a CSV file (RFC 4180), with a mark that has spreadsheets read it as UTF-8. A text that a spreadsheet would
 * calculate gets an apostrophe before it: strangers write tasks.
 */
export function toCsv<Row>(columns: CsvColumns<Row>, rows: readonly Row[]): string {
  const lines = [
    columns.map(([name]) => toField(name)),
    ...rows.map((row) => columns.map(([, value]) => toField(value(row)))),
  ]
  return `\uFEFF${lines.map((fields) => fields.join(',')).join('\r\n')}\r\n`
}

function toField(value: string | number | undefined): string {
  if (value === undefined) return ''
  if (typeof value === 'number') return String(value)
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Has the browser save bytes as a file. */
export function saveAs(content: Blob, fileName: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = fileName
  link.click()
  // The browser has taken it once this turn is over.
  setTimeout(() => URL.revokeObjectURL(link.href), 0)
}
