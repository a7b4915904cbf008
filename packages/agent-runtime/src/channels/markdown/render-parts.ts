import { createLexBudget } from './bounded-lexer.ts'
import type { OutboundPart } from '../../ports/channel.ts'
import { chunkMarkdown } from './chunk-markdown.ts'
import { toPlainText } from './markdown-to-plain.ts'
import { parseMarkdown, toPlainBlocks } from './markdown-tree.ts'
import type { Block } from './markdown-tree.ts'

/** Blocks of Markdown as text. `source`: what they were written as. */
type ToText = (blocks: readonly Block[], source: string) => string

/** How a platform shows Markdown. */
interface RenderOptions {
  /** Largest text of a part, format included. At least 128. */
  readonly maxLength: number
  /** Markdown in the platform's format. Given chunk by chunk: cutting what is rendered would break its marks. */
  readonly toText: ToText
  /** The same without any format. @default {@link toPlainText} */
  readonly toPlain?: ToText
}

/** What is sent for an answer in which nothing can be seen. */
const emptyAnswer: OutboundPart = { text: '(no answer)', plain: '(no answer)' }

/** An answer as the parts of a platform: none empty, each within the limit in both forms. Never an empty list. */
export function renderParts(markdown: string, options: RenderOptions): readonly OutboundPart[] {
  const { maxLength } = options
  const budget = createLexBudget()
  // a chunk is measured before it is taken: once is enough, and a second time the budget could be used up
  const rendered = new Map<string, OutboundPart>()
  const render = (chunk: string): OutboundPart => {
    const part = rendered.get(chunk) ?? renderPart(chunk, parseMarkdown(chunk, budget), options)
    rendered.set(chunk, part)
    return part
  }
  const measure = (chunk: string): number => {
    const { text, plain } = render(chunk)
    return Math.max(text.length, plain.length)
  }
  // Slack and Discord refuse a whole request for half a character
  const parts = chunkMarkdown(markdown.toWellFormed(), { maxLength, measure }).map(render)
  const seen = parts.filter((part) => part.text.trim() !== '')
  return seen.length > 0 ? seen : [emptyAnswer]
}

/** What renders to nothing, as an empty heading, is shown as it was written. */
function renderPart(
  chunk: string,
  blocks: readonly Block[],
  { toText, toPlain = toPlainText }: RenderOptions,
): OutboundPart {
  const text = toText(blocks, chunk)
  const plain = toPlain === toText ? text : toPlain(blocks, chunk)
  return {
    text: text.trim() === '' ? toText(toPlainBlocks(chunk), chunk) : text,
    plain: plain.trim() === '' ? chunk : plain,
  }
}
