import { frontMatter } from './split-skill-markdown.ts'

/** What a line may begin with before the block in it: blanks, quotes, marks of lists, of tasks and of footnotes. */
const lead = String.raw`^(?:[^\p{L}\[<${'`'}~]|\[[^\[\]${'`'}]{0,100}\])*`
/** A fence, whatever it stands in. No line of backticks is one with another backtick behind them. */
const anyFence = new RegExp(`${lead}(?:\`{3,}[^\`]*$|~{3})`, 'u')
const anyHtml = new RegExp(`${lead}<(?=[a-z/!?])`, 'iu')
const openFence = /^( *)(?:(`{3,})[^`]*|(~{3,}).*)$/su
const closeFence = /^[ \t]*(`+|~+)[ \t]*[\r\n]*$/
const blank = /^[ \t\r\n]*$/
/** How a block of HTML begins that goes on over blank lines, and what ends it. Any other one ends at a blank line. */
const htmlBlocks: readonly (readonly [begin: RegExp, end: RegExp])[] = [
  [/<(?:pre|script|style|textarea)(?![a-z0-9-])/i, /<\/(?:pre|script|style|textarea)>/i],
  [/<!--/, /-->/],
  [/<\?/, /\?>/],
  [/<!\[CDATA\[/, /\]\]>/],
  [/<![a-z]/i, />/],
]
/**
 * What decides about code in a line, from left to right: an escape, a tag or an address (a backtick in one opens
 * nothing), the target of a link, backticks.
 */
const inlineToken =
  /\\.?|<(?=[a-z/!?])(?:\/?[a-z][^<>`"'\\]*>)?|(?:www\.|:\/\/)[^\s<`]*|\]\((?:[^\s()<>`\\]*\))?|`+/gis

interface Fence {
  readonly indent: number
  readonly mark: string
}

/**
 * The same lines, without what is certainly code, by CommonMark: what stands between fences, and in backticks within a
 * line. Code is shown to people, so nothing hides in it; what is only perhaps code stays. The first fence of which it
 * cannot be told whether it is one ends the search: each one after it could be an end instead of a beginning.
 */
export function blankCode(markdown: string): string {
  // some show front matter as a table, some as text: a fence in it is one to some only
  const head = frontMatter.exec(markdown)?.[0] ?? ''
  if (toLines(head).some((line) => anyFence.test(line))) return markdown
  const lines = toLines(markdown)
  const pieces: string[] = []
  const paragraphs = createParagraphs()
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at]!
    if (!anyFence.test(line)) {
      pieces.push(paragraphs.read(line))
      continue
    }
    const fence = paragraphs.mayBeHtml() ? undefined : toFence(line)
    const end = fence && endOfFence(lines, at, fence)
    if (fence === undefined || end === undefined) return [...pieces, ...lines.slice(at)].join('')
    const inside = lines.slice(at, end + 1)
    // deeper than that it is a fence in a list, or indented text that is none: it ends in both, and is code in one
    pieces.push((fence.indent <= 3 ? inside.map(toBlank) : inside).join(''))
    paragraphs.doubt()
    at = end
  }
  return pieces.join('')
}

/** With their ends; a line may end in a carriage return alone. */
function toLines(text: string): string[] {
  return text.split(/(?<=\n|\r(?!\n))/)
}

function toBlank(line: string): string {
  return line.replace(/[^\r\n]+/, '')
}

function toFence(line: string): Fence | undefined {
  const [, indent = '', backticks, tildes] = openFence.exec(line) ?? []
  const mark = backticks ?? tildes
  return mark === undefined ? undefined : { indent: indent.length, mark }
}

/**
 * Index of the line that closes a fence, or undefined when there is none of which that is certain. A fence may lie in
 * an item of a list, which ends with the first line that is indented less.
 */
function endOfFence(lines: readonly string[], from: number, { indent, mark }: Fence): number | undefined {
  for (let at = from + 1; at < lines.length; at += 1) {
    const line = lines[at]!
    if (blank.test(line)) continue
    const here = line.search(/[^ ]/)
    if (here < indent) return undefined
    if (!closeFence.exec(line)?.[1]?.startsWith(mark)) continue
    if (line[here] !== '\t' && (here === indent || here <= 3)) return at
    // four blanks in front of it, and nothing around the fence: it closes nothing
    if (indent > 0) return undefined
  }
  return undefined
}

/** Reads the lines outside of fences. Inline code ends at a blank line at the latest, HTML there or at an end of its own. */
function createParagraphs() {
  let certain = true
  /** Ends of the blocks of HTML that may be open. */
  let ends: RegExp[] = []

  function read(line: string): string {
    if (blank.test(line)) {
      certain = true
      ends = ends.filter((end) => end !== blank)
      return line
    }
    if (anyHtml.test(line)) {
      const begun = htmlBlocks.filter(([begin]) => begin.test(line)).map(([, end]) => end)
      ends = [...new Set([...ends, blank, ...begun])]
    }
    const inHtml = ends.length > 0
    ends = ends.filter((end) => !end.test(line))
    if (inHtml) certain = false
    if (!certain) return line
    const { text, isWhole } = blankInline(line)
    certain = isWhole
    return text
  }

  return { read, mayBeHtml: () => ends.length > 0, doubt: () => void (certain = false) }
}

/** A line without its inline code, up to the first thing that leaves a doubt; `isWhole` when there is none. */
function blankInline(line: string): { readonly text: string; readonly isWhole: boolean } {
  let text = ''
  let done = 0
  inlineToken.lastIndex = 0
  for (let token = inlineToken.exec(line); token !== null; token = inlineToken.exec(line)) {
    const [found] = token
    const next = line[inlineToken.lastIndex]
    if (!found.startsWith('`')) {
      if (isDoubtful(found, next)) return { text: text + line.slice(done), isWhole: false }
      continue
    }
    const close = closeOf(line, inlineToken.lastIndex, found.length)
    // in a table a bar parts the cells, also within backticks
    if (close === undefined || line.slice(token.index, close).includes('|')) {
      return { text: text + line.slice(done), isWhole: false }
    }
    text += line.slice(done, token.index)
    done = close + found.length
    inlineToken.lastIndex = done
  }
  return { text: text + line.slice(done), isWhole: true }
}

/** Whether a backtick behind it may belong to it. */
function isDoubtful(token: string, next: string | undefined): boolean {
  if (token.startsWith('\\')) return token === '\\`'
  if (token.startsWith('<')) return token === '<'
  if (token.startsWith('](')) return token === ']('
  return next === '`'
}

/** Where the next run of so many backticks begins. A backslash within code is one, and escapes nothing. */
function closeOf(line: string, from: number, length: number): number | undefined {
  const runs = /`+/g
  runs.lastIndex = from
  for (let run = runs.exec(line); run !== null; run = runs.exec(line))
    if (run[0].length === length) return run.index
  return undefined
}
