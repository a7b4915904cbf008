/** A block of code that is open where a text ends. */
export interface OpenFence {
  /** What stands before the marks: indentation, `>` of a quote. */
  readonly indent: string
  /** The backticks or tildes. */
  readonly marks: string
  /** First word behind them: the language. */
  readonly language: string
}

/** Longer ones than these are taken for text: a block that is opened anew has to fit beside its content. */
const maxIndent = 12
const maxMarks = 12
const maxLanguage = 16

/** The block of code that is open behind a line, given the one that was open before it. */
export function nextFence(line: string, open: OpenFence | undefined): OpenFence | undefined {
  return open ? (closes(line, open) ? undefined : open) : opens(line)
}

/** The line that opens a block anew. */
export function openingLine(fence: OpenFence): string {
  return `${fence.indent}${fence.marks}${fence.language}\n`
}

/** The line that closes a block. */
export function closingLine(fence: OpenFence): string {
  return `${fence.indent}${fence.marks}`
}

function opens(line: string): OpenFence | undefined {
  const head = /^((?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])*)(`{3,}|~{3,})/.exec(line.slice(0, 64))
  const [, before = '', marks = ''] = head ?? []
  if (!head || before.length > maxIndent || marks.length > maxMarks) return undefined
  const rest = line.slice(head[0].length)
  // `code` between three backticks on one line opens nothing
  if (marks.startsWith('`') && rest.includes('`')) return undefined
  const language = rest.trim().split(/\s/, 1)[0] ?? ''
  const isShort = language.length <= maxLanguage
  return { indent: before.replaceAll(/[^ \t>]/g, ' '), marks, language: isShort ? language : '' }
}

function closes(line: string, open: OpenFence): boolean {
  const marks = line
    .slice(0, 256)
    .replace(/^[ \t>]*/, '')
    .trimEnd()
  return marks.length >= open.marks.length && marks === open.marks.charAt(0).repeat(marks.length)
}
