/** What stands on top of every generated page. */
export const generatedNote =
  '<!-- Written by `npm run reference`. Change the source that it names, not this page. -->'

/** A table; rows with the cells of each line. Empty when there are no rows. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return ''
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** Puts the parts of a page one below the other; parts that are empty are left out. */
export function page(...parts: readonly string[]): string {
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

/** Text as code. */
export const code = (text: string) => `\`${text}\``

/** What a page says about its examples. */
export const exampleNote =
  'Each example was recorded from the handler. Keys and ids are made up, `Content-Type: application/json` is left out, and ' +
  'some long responses are shortened.'
