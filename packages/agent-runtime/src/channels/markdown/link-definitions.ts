import type { Inline, Token } from './markdown-tree.ts'

/** Definitions whose address a link shows, as {@link keyOf} names them. */
export type ShownDefinitions = ReadonlySet<string>

/** Addresses that every chat shows behind a name; of others some show the name alone. */
const isAlwaysShown = /^(?:https?:\/\/|mailto:|tel:)\S/i
/** Links that lie deeper are not looked for: their definitions are shown once more, which loses nothing. */
const maxDepth = 40

/** Definitions that a link of the text shows. That of a picture in a link is none of them. */
export function findShown(tokens: readonly Token[]): ShownDefinitions {
  return new Set(keysIn(tokens, 0))
}

function keysIn(tokens: readonly Token[], depth: number): readonly string[] {
  if (depth > maxDepth) return []
  return tokens.flatMap((token) => {
    if (token.type === 'link' || token.type === 'image') return keyOfReference(token) ?? []
    const inner = token.type === 'table' ? cellsOf(token) : [...(token.tokens ?? []), ...(token.items ?? [])]
    return keysIn(inner, depth + 1)
  })
}

function cellsOf({ header = [], rows = [] }: Token): readonly Token[] {
  return [...header, ...rows.flat()]
}

/** `[words][label]`, `[label][]`, `[label]`; undefined for a link with an address of its own. */
function keyOfReference({ raw, href }: Token): string | undefined {
  const named = raw.endsWith('[]') ? raw.slice(0, -2) : raw
  const [, label] = /^!?\[/.test(raw) ? (/\[((?:\\[\s\S]|[^[\]\\])+)\]$/.exec(named) ?? []) : []
  return label === undefined || !isAlwaysShown.test(href ?? '') ? undefined : keyOf(label, href)
}

/** Of two definitions of one label the first counts: so the address belongs to the name. */
function keyOf(label: string, href = ''): string {
  return `${label.trim().replaceAll(/\s+/g, ' ').toLowerCase()}\n${href}`
}

/** The definitions that a list of tokens begins with, a line each, without those that are shown. */
export function toDefinitions(tokens: readonly Token[], shown: ShownDefinitions): readonly Inline[] {
  const end = tokens.findIndex((token) => token.type !== 'def')
  const lines = tokens.slice(0, end < 0 ? tokens.length : end).flatMap((token) => {
    const label = /\[((?:\\[\s\S]|[^[\]\\])+)\]:/.exec(token.raw)?.[1] ?? ''
    return shown.has(keyOf(label, token.href)) ? [] : toLine(label, token)
  })
  return lines.slice(1) // without the first line's break
}

function toLine(label: string, { href = '', title }: Token): readonly Inline[] {
  return [
    { kind: 'break' },
    { kind: 'text', text: `[${label}]: ` },
    { kind: 'link', href, children: [{ kind: 'text', text: href }] },
    ...(title ? [{ kind: 'text', text: ` "${title}"` } as const] : []),
  ]
}
