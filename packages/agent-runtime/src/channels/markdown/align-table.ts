/** Widest column that is padded: wider ones would only add lines of spaces. */
const maxWidth = 40

/** Rows of cells, the first the head, as lines whose columns stand under one another. */
export function alignTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.min(maxWidth, Math.max(...rows.map((cells) => (cells[column] ?? '').length))),
  )
  const lines = rows.map((cells) =>
    cells
      .map((cell, column) => pad(cell, widths[column] ?? 0))
      .join(' | ')
      .trimEnd(),
  )
  const rule = widths.map((width) => '-'.repeat(width)).join('-+-')
  return [lines[0], rule, ...lines.slice(1)].join('\n')
}

function pad(cell: string, width: number): string {
  return cell + ' '.repeat(Math.max(0, width - cell.length))
}
