import { createLexBudget, lexMarkdown } from './bounded-lexer.ts'
import { findShown, type ShownDefinitions, toDefinitions } from './link-definitions.ts'

/** A run of text. */
export type Inline =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'break' }
  | { readonly kind: 'strong' | 'emphasis' | 'strike'; readonly children: readonly Inline[] }
  | { readonly kind: 'link'; readonly href: string; readonly children: readonly Inline[] }

/** Something that stands on lines of its own. */
export type Block =
  | { readonly kind: 'paragraph'; readonly children: readonly Inline[] }
  | { readonly kind: 'heading'; readonly children: readonly Inline[] }
  | { readonly kind: 'code'; readonly language: string; readonly text: string }
  | { readonly kind: 'quote'; readonly children: readonly Block[] }
  | { readonly kind: 'list'; readonly items: readonly ListItem[] }
  | { readonly kind: 'table'; readonly rows: readonly (readonly (readonly Inline[])[])[] }
  | { readonly kind: 'rule' }

/** An entry of a list. */
export interface ListItem {
  /** `•`, `3.` or a box that is ticked or not. */
  readonly mark: string
  readonly children: readonly Block[]
}

/**
 * Markdown (GitHub's) as a small tree: what chats can show. HTML stays text, pictures become links, single line
 * breaks stay, definitions of links too where no link shows their address. What cannot be parsed, as a dozen nested
 * quotes, is one paragraph of plain text, and so is all that comes after the budget is used up. Never throws.
 *
 * @param budget shared by the parts of one answer. @default one of its own
 */
export function parseMarkdown(markdown: string, budget = createLexBudget()): readonly Block[] {
  if (budget.left <= 0) return toPlainBlocks(markdown)
  try {
    // the library's types leave most fields open; those that are read here are optional
    const tokens = lexMarkdown(markdown, budget) as readonly Token[]
    return toBlocks(tokens, findShown(tokens))
  } catch {
    return toPlainBlocks(markdown)
  }
}

/** A text as the tree that shows it as it is. */
export function toPlainBlocks(text: string): readonly Block[] {
  return [{ kind: 'paragraph', children: [{ kind: 'text', text }] }]
}

/** Marks deeper than this are text. */
const maxDepth = 80

/** What the library reads from Markdown, as far as it is used here. */
export interface Token {
  readonly type: string
  readonly raw: string
  readonly text?: string
  readonly href?: string
  readonly title?: string | null
  readonly lang?: string
  readonly start?: number | ''
  readonly ordered?: boolean
  readonly checked?: boolean
  readonly task?: boolean
  readonly tokens?: readonly Token[]
  readonly items?: readonly Token[]
  readonly header?: readonly Token[]
  readonly rows?: readonly (readonly Token[])[]
}

function toBlocks(tokens: readonly Token[] = [], shown: ShownDefinitions): readonly Block[] {
  return tokens.flatMap((token, index) => {
    if (token.type !== 'def') return toBlock(token, shown) ?? []
    // definitions without an empty line between them are one block, which the first of them makes
    const children = tokens[index - 1]?.type === 'def' ? [] : toDefinitions(tokens.slice(index), shown)
    return children.length > 0 ? [{ kind: 'paragraph', children }] : []
  })
}

function toBlock(token: Token, shown: ShownDefinitions): Block | undefined {
  switch (token.type) {
    case 'space':
    case 'checkbox':
      return undefined
    case 'heading':
      return { kind: 'heading', children: toInlines(token.tokens) }
    case 'code':
      return { kind: 'code', language: token.lang?.split(/\s/, 1)[0] ?? '', text: trimEnd(token.text ?? '') }
    case 'blockquote':
      return { kind: 'quote', children: toBlocks(token.tokens, shown) }
    case 'list':
      return { kind: 'list', items: toItems(token, shown) }
    case 'table':
      return { kind: 'table', rows: [token.header ?? [], ...(token.rows ?? [])].map(toRow) }
    case 'hr':
      return { kind: 'rule' }
    default:
      return { kind: 'paragraph', children: token.tokens ? toInlines(token.tokens) : toRawText(token) }
  }
}

function toItems(list: Token, shown: ShownDefinitions): readonly ListItem[] {
  return (list.items ?? []).map((item, index) => {
    const bullet = list.ordered ? `${(Number(list.start) || 0) + index}.` : '•'
    const mark = item.task ? (item.checked ? '☑' : '☐') : bullet
    return { mark, children: toBlocks(item.tokens, shown) }
  })
}

function toRow(cells: readonly Token[]): readonly (readonly Inline[])[] {
  return cells.map((cell) => toInlines(cell.tokens))
}

function toInlines(tokens: readonly Token[] = [], depth = 0): readonly Inline[] {
  return tokens.flatMap((token) => toInline(token, depth + 1))
}

function toInline(token: Token, depth: number): readonly Inline[] {
  if (depth > maxDepth) return toRawText(token)
  const inner = () => toInlines(token.tokens, depth)
  switch (token.type) {
    case 'strong':
      return [{ kind: 'strong', children: inner() }]
    case 'em':
      return [{ kind: 'emphasis', children: inner() }]
    case 'del':
      return [{ kind: 'strike', children: inner() }]
    case 'link':
      return [{ kind: 'link', href: token.href ?? '', children: inner().flatMap(withoutLinks) }]
    case 'image':
      return [{ kind: 'link', href: token.href ?? '', children: [{ kind: 'text', text: token.text ?? '' }] }]
    case 'codespan':
      return [{ kind: 'code', text: toCode(token.raw) }]
    case 'br':
      return [{ kind: 'break' }]
    case 'escape':
      return [{ kind: 'text', text: token.raw.slice(1) }]
    case 'checkbox':
      return []
    default:
      return token.tokens ? inner() : toRawText(token)
  }
}

/** A picture in a link is words of the link: links do not nest. */
function withoutLinks(inline: Inline): readonly Inline[] {
  if (!('children' in inline)) return [inline]
  const children = inline.children.flatMap(withoutLinks)
  return inline.kind === 'link' ? children : [{ kind: inline.kind, children }]
}

function toRawText(token: Token): readonly Inline[] {
  // HTML is shown as it was written
  const text = token.type === 'html' ? trimEnd(token.raw) : decodeEntities(token.raw)
  return text === '' ? [] : [{ kind: 'text', text }]
}

/** A code span without its backticks, and without the space that keeps a backtick apart from them. */
function toCode(raw: string): string {
  const ticks = /^`+/.exec(raw)?.[0].length ?? 0
  const text = raw.slice(ticks, raw.length - ticks).replaceAll('\n', ' ')
  return /^ .*[^ ].* $/.test(text) ? text.slice(1, -1) : text
}

/** Without the line breaks at the end. A loop: `/\n+$/` takes quadratic time. */
function trimEnd(text: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === '\n') end -= 1
  return text.slice(0, end)
}

const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00A0',
}

/** The characters that `&lt;`, `&#39;`, `&#x27;` and their like stand for; unknown ones stay as they are. */
function decodeEntities(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,4}));/gi, (whole, ...groups) => {
    const [decimal, hex, name] = groups as readonly (string | undefined)[] // the pattern's three groups
    if (name !== undefined) return named[name] ?? whole
    const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    const isCharacter = point > 31 && point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff)
    return isCharacter ? String.fromCodePoint(point) : whole
  })
}
