import type { OutPart } from './channel.ts'
import { chunkMarkdown } from './chunk-markdown.ts'
import { toPlainText } from './markdown-to-plain.ts'

/** How a platform shows Markdown. */
export interface RenderOptions {
  /** Largest text of a part, format included. At least 128. */
  readonly maxLength: number
  /** Markdown in the platform's format. Given chunk by chunk: cutting what is rendered would break its marks. */
  readonly toText: (markdown: string) => string
  /** The same without any format. @default {@link toPlainText} */
  readonly toPlain?: (markdown: string) => string
}

/** What is sent for an answer in which nothing can be seen. */
const emptyAnswer: OutPart = { text: '(no answer)', plain: '(no answer)' }

/** An answer as the parts of a platform: none empty, each within the limit in both forms. Never an empty list. */
export function renderParts(markdown: string, options: RenderOptions): readonly OutPart[] {
  const { maxLength, toText, toPlain = toPlainText } = options
  const render = (chunk: string): OutPart => {
    // what renders to nothing, as an empty heading, is shown as it was written
    const plain = toPlain(chunk)
    const text = toText(chunk)
    const shown = plain.trim() === '' ? chunk : plain
    return { text: text.trim() === '' ? toText(escapeAll(chunk)) : text, plain: shown }
  }
  const measure = (chunk: string): number => {
    const { text, plain } = render(chunk)
    return Math.max(text.length, plain.length)
  }
  const parts = chunkMarkdown(markdown, { maxLength, measure }).map(render)
  const seen = parts.filter((part) => part.text.trim() !== '')
  return seen.length > 0 ? seen : [emptyAnswer]
}

/** Markdown that shows a text as it is. */
function escapeAll(text: string): string {
  return text.replaceAll(/[!-/:-@[-`{-~]/g, String.raw`\$&`)
}
