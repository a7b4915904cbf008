/** What of a node of formatted text is looked at. */
export interface TextNode {
  readonly type: string
  value?: string
  readonly tagName?: string
  readonly properties?: { readonly alt?: unknown; readonly className?: unknown }
  children?: TextNode[]
}

/** All text in a node. */
export function textOfNode({ value = '', children = [] }: Pick<TextNode, 'value' | 'children'>): string {
  return value + children.map(textOfNode).join('')
}

/** The language that a code block names, as its author wrote it; undefined for none. */
export function languageOf({ properties }: Pick<TextNode, 'properties'>): string | undefined {
  const names: readonly unknown[] = Array.isArray(properties?.className) ? properties.className : []
  const name = names.find((each) => typeof each === 'string' && each.startsWith('language-'))
  return typeof name === 'string' && name.length > 'language-'.length
    ? name.slice('language-'.length)
    : undefined
}
