import type { Block, Inline, ListItem } from './markdown-tree.ts'

/** How a format writes what Markdown can say. Every text that is given is not yet escaped, every result is. */
export interface TextFormat {
  text(text: string): string
  code(text: string): string
  strong(inner: string): string
  emphasis(inner: string): string
  strike(inner: string): string
  link(inner: string, href: string): string
  heading(inner: string): string
  codeBlock(text: string, language: string): string
  quote(inner: string): string
  /** A rule across. */
  readonly rule: string
  /** Goes between a mark and a letter next to it. @default nothing */
  readonly boundary?: string
}

const same = (inner: string) => inner

type Link = Extract<Inline, { readonly kind: 'link' }>

/** A tree as text of a format: blocks an empty line apart, entries of lists on lines of their own. */
export function layoutBlocks(blocks: readonly Block[], format: TextFormat): string {
  return blocks
    .map((block) => layoutBlock(block, format))
    .filter((text) => text !== '')
    .join('\n\n')
}

function layoutBlock(block: Block, format: TextFormat): string {
  switch (block.kind) {
    case 'paragraph':
      return layoutInlines(block.children, format)
    case 'heading':
      // it is bold as a whole: what is bold in it would end that
      return unlessBlank(layoutInlines(block.children, { ...format, strong: same }), format.heading)
    case 'code':
      return unlessBlank(block.text, (text) => format.codeBlock(text, block.language))
    case 'quote':
      return unlessBlank(layoutBlocks(block.children, format), format.quote)
    case 'rule':
      return format.rule
    case 'table':
      return layoutTable(block.rows, format)
    case 'list':
    default:
      return block.items.map((item) => layoutItem(item, format)).join('\n')
  }
}

/** Columns under one another need a block of code, and in one nothing can be followed: links stand below it. */
function layoutTable(rows: readonly (readonly (readonly Inline[])[])[], format: TextFormat): string {
  const block = format.codeBlock(alignTable(rows.map((cells) => cells.map(toWords))), '')
  const links = rows
    .flat(2)
    .flatMap(linksOf)
    .flatMap((link) => layoutTableLink(link, format))
  return links.length === 0 ? block : `${block}\n\n${[...new Set(links)].join('\n')}`
}

function linksOf(inline: Inline): readonly Link[] {
  if (inline.kind === 'link') return [inline]
  return 'children' in inline ? inline.children.flatMap(linksOf) : []
}

/** What addresses are often written without: `www.a.example`, `me@a.example`. */
const anyScheme = /^[a-z]+:(?:\/\/)?/i

/** A link whose address cannot be read in the table; nothing when the platform may not follow it. */
function layoutTableLink({ href, children }: Link, format: TextFormat): readonly string[] {
  const words = toWords(children)
  const name = format.text(words)
  const link = format.link(name, href)
  return link === name || words === href || words === href.replace(anyScheme, '') ? [] : [link]
}

/** Nothing stays nothing: platforms refuse marks around it. */
function unlessBlank(inner: string, wrap: (inner: string) => string): string {
  return inner.trim() === '' ? '' : wrap(inner)
}

function layoutItem(item: ListItem, format: TextFormat): string {
  const inner = item.children.map((child) => layoutBlock(child, format)).join('\n')
  return `${item.mark} ${indentLists(inner, item.children)}`
}

/** Indents a nested list; what else stands in an entry keeps its lines: code must stay as it is. */
function indentLists(inner: string, children: readonly Block[]): string {
  const isPlain = children.every((child) => child.kind === 'paragraph' || child.kind === 'list')
  return isPlain ? inner.replaceAll('\n', '\n  ') : inner
}

function layoutInlines(inlines: readonly Inline[], format: TextFormat): string {
  const { boundary = '' } = format
  let text = ''
  for (const [index, inline] of inlines.entries()) {
    const next = layoutInline(inline, format)
    const previous = inlines[index - 1]
    const touches =
      (isMarked(previous) && startsInWord.test(next)) || (isMarked(inline) && endsInWord.test(text))
    text += (touches ? boundary : '') + next
  }
  return text
}

const isMarked = (inline: Inline | undefined) =>
  inline !== undefined && ['strong', 'emphasis', 'strike', 'code'].includes(inline.kind)

// Only white space and ASCII punctuation separate a mark from the text around it.
const startsInWord = /^[^\s!-/:-@[-`{-~]/
const endsInWord = /[^\s!-/:-@[-`{-~]$/

function layoutInline(inline: Inline, format: TextFormat): string {
  switch (inline.kind) {
    case 'text':
      return format.text(inline.text)
    case 'code':
      return format.code(inline.text)
    case 'break':
      return '\n'
    case 'link':
      return format.link(layoutInlines(inline.children, format), inline.href)
    case 'strong':
    case 'emphasis':
    case 'strike':
    default:
      return unlessBlank(layoutInlines(inline.children, format), format[inline.kind])
  }
}

/** The words of a cell, without any format. */
function toWords(inlines: readonly Inline[]): string {
  return inlines
    .map((inline) => {
      if (inline.kind === 'text' || inline.kind === 'code') return inline.text
      return inline.kind === 'break' ? ' ' : toWords(inline.children)
    })
    .join('')
}

/** Widest column that is padded: wider ones would only add lines of spaces. */
const maxWidth = 40

/** Rows of cells, the first the head, as lines whose columns stand under one another. */
function alignTable(rows: readonly (readonly string[])[]): string {
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
