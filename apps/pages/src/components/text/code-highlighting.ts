import { common, createLowlight } from 'lowlight'
import type { TextNode } from './text-node.ts'
import { languageOf, textOfNode } from './text-node.ts'

/** More than that would hold the page up each time that an answer grows. */
const mostHighlighted = 20_000

const lowlight = createLowlight(common)

/** Gives the words of code blocks their classes: by the language that the block names, and never by a guess. */
export function highlightCode() {
  return (root: TextNode): void => highlightBelow(root)
}

function highlightBelow(node: TextNode): void {
  for (const child of node.children ?? []) {
    if (child.tagName !== 'code' || node.tagName !== 'pre') highlightBelow(child)
    else highlightBlock(child)
  }
}

function highlightBlock(code: TextNode): void {
  const language = languageOf(code)
  const text = textOfNode(code)
  if (language === undefined || text.length > mostHighlighted || !lowlight.registered(language)) return
  code.children = lowlight.highlight(language, text).children
}
