/** Writes the elements of a page as Markdown, in their order. */
interface MarkdownWriter {
  open(name: string, attributes: Readonly<Record<string, string>>): void
  text(text: string): void
  close(name: string): void
  /** @returns all that was written */
  end(): string
}

const blocks = new Set(
  (
    'address article aside blockquote body dd details div dl dt fieldset figcaption figure footer form header hr html ' +
    'legend main p pre section summary table tbody thead tfoot'
  ).split(' '),
)
const heading = /^h([1-6])$/
const maxUrlChars = 300

/**
 * The time it takes grows with the page, whatever the page is: nothing that was written is read again, but for the label of a
 * link.
 *
 * @param base Address of the page, for its links.
 */
export function createMarkdownWriter(base: URL): MarkdownWriter {
  const lines: string[] = []
  /** Pieces of the line that is being written. */
  let line: string[] = []
  /** What stands before the next text: the mark of a heading or a list item. */
  let mark = ''
  let endsWithSpace = true
  let preDepth = 0
  const lists: List[] = []
  const links: { readonly url: string | undefined; readonly line: string[]; readonly at: number }[] = []

  function add(text: string): void {
    if (text === '') return
    line.push(mark, text)
    mark = ''
    endsWithSpace = text.endsWith(' ')
  }

  function breakLine(isParagraph = false): void {
    const done = line.join('').trimEnd()
    if (done !== '') lines.push(done)
    line = []
    endsWithSpace = true
    if (isParagraph && lines.length > 0 && lines.at(-1) !== '') lines.push('')
  }

  function addCode(text: string): void {
    const [first = '', ...rest] = text.split('\n')
    line.push(first)
    for (const next of rest) {
      lines.push(line.join(''))
      line = [next]
    }
  }

  function closeLink(): void {
    const link = links.pop()
    // A link around whole blocks stays their text.
    if (link?.url === undefined || link.line !== line) return
    const label = line.splice(link.at).join('')
    if (label.trim() !== '') line.push(`[${label.trim()}](${link.url})`, label.endsWith(' ') ? ' ' : '')
  }

  /** Fences of code stand on lines of their own. */
  function fence(change: 1 | -1): void {
    if (preDepth === (change === 1 ? 0 : 1)) {
      if (change === 1) breakLine(true)
      else if (line.join('').trim() !== '') breakLine()
      line = []
      lines.push('```')
      if (change === -1) lines.push('')
    }
    preDepth = Math.max(0, preDepth + change)
  }

  return {
    open(name, attributes) {
      if (name === 'pre') return fence(1)
      if (preDepth > 0) return
      const level = heading.exec(name)?.[1]
      if (level !== undefined) {
        breakLine(true)
        mark = `${'#'.repeat(Number(level))} `
      } else if (name === 'ul' || name === 'ol') {
        breakLine(lists.length === 0)
        lists.push({ isNumbered: name === 'ol', count: 0 })
      } else if (name === 'li') {
        breakLine()
        mark = itemMark(lists)
      } else if (name === 'br' || name === 'tr') breakLine()
      else if ((name === 'td' || name === 'th') && line.length > 0) add(' | ')
      else if (name === 'a') links.push({ url: targetOf(attributes['href'], base), line, at: line.length })
      else if (name === 'img' && attributes['alt']?.trim()) add(`[Picture: ${attributes['alt'].trim()}]`)
      else if (name === 'code') add('`')
      else if (blocks.has(name)) breakLine(true)
    },
    text(text) {
      if (preDepth > 0) return addCode(text)
      const plain = text.replace(/\s+/g, ' ')
      add(endsWithSpace ? plain.trimStart() : plain)
    },
    close(name) {
      if (name === 'pre') return fence(-1)
      if (preDepth > 0) return
      if (name === 'a') closeLink()
      else if (name === 'code') add('`')
      else if (name === 'ul' || name === 'ol') {
        lists.pop()
        breakLine(lists.length === 0)
      } else if (name === 'li' || heading.test(name)) {
        mark = ''
        breakLine(name !== 'li')
      } else if (blocks.has(name)) breakLine(lists.length === 0)
    },
    end() {
      breakLine()
      return lines.join('\n').trim()
    },
  }
}

interface List {
  readonly isNumbered: boolean
  count: number
}

/** What stands before the next item of the innermost list. */
function itemMark(lists: readonly List[]): string {
  const list = lists.at(-1)
  if (list) list.count += 1
  const indent = '  '.repeat(Math.min(8, Math.max(0, lists.length - 1)))
  return `${indent}${list?.isNumbered ? `${list.count}.` : '-'} `
}

/** Where a link leads; undefined for another place on the same page, or for no page at all. */
function targetOf(href: string | undefined, base: URL): string | undefined {
  const url = href === undefined ? null : URL.parse(href.trim(), base)
  if (!url || !/^https?:$/.test(url.protocol) || url.href.length > maxUrlChars) return undefined
  const [page] = url.href.split('#', 1)
  return page === base.href.split('#', 1)[0] ? undefined : url.href
}
