/**
 * The head of the table in whose midst a text ends: its two lines, or nothing when it ends in none.
 *
 * @param text ends with a line break.
 * @param next the line behind it.
 */
export function headOfOpenTable(text: string, next: string): string {
  if (!next.includes('|')) return ''
  const lines = text.split('\n').slice(0, -1)
  const rows = lines.slice(lines.findLastIndex((line) => !line.includes('|')) + 1)
  const rule = rows.findIndex(isRule)
  return rule < 1 ? '' : `${rows[rule - 1]}\n${rows[rule]}\n`
}

/** Whether a line stands between the head of a table and its rows; a quote's marks may stand before it. */
function isRule(line: string): boolean {
  return line.includes('-') && /^[ \t>|:-]+$/.test(line)
}
