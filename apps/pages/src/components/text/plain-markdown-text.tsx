import ReactMarkdown from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { cutText } from './cut-text.ts'

/** What {@link PlainMarkdownText} takes. */
export interface PlainMarkdownTextProps {
  readonly text: string
  readonly maxLength: number
}

/** What of a node of the formatted text is looked at. */
interface FormattedNode {
  readonly type: string
  readonly value?: string
  readonly tagName?: string
  readonly properties?: { readonly alt?: unknown }
  children?: readonly FormattedNode[]
}

/** The text of Markdown without its formatting, up to a length. */
export function PlainMarkdownText({ text, maxLength }: PlainMarkdownTextProps) {
  const keepText = () => (root: FormattedNode) => {
    root.children = [{ type: 'text', value: cutText(textOf(root).trim(), maxLength) }]
  }
  return (
    <ReactMarkdown remarkPlugins={[remarkGfm]} rehypePlugins={[keepText]}>
      {text}
    </ReactMarkdown>
  )
}

function textOf({ value = '', tagName, properties, children = [] }: FormattedNode): string {
  if (tagName === 'img') return typeof properties?.alt === 'string' ? properties.alt : ''
  return value + children.map(textOf).join('')
}
