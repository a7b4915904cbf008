import { memo, useMemo } from 'react'
import { Link } from 'react-aria-components'
import ReactMarkdown, { type Components } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { ForeignLink } from './foreign-link.tsx'
import { layOutJson } from './lay-out-json.ts'
import { markFormulas, mayHoldFormulas } from './mark-formulas.ts'
import { MarkdownCode } from './markdown-code.tsx'
import { languageOf, type TextNode, textOfNode } from './text-node.ts'
import { useLoaded } from './use-loaded.ts'
import './markdown.css'

const loadHighlighting = () => import('./code-highlighting.ts')
const loadFormulas = () => import('./formulas.ts')
const namedFence = /^ {0,3}(?:`{3,}|~{3,})[ \t]*\w/m

const components: Components = {
  a: ({ href, children }) => <ForeignLink href={href}>{children}</ForeignLink>,
  // An image would be fetched from wherever a model says, and tell them who reads it.
  img: ({ src, alt }) => (
    <ForeignLink href={typeof src === 'string' ? src : undefined}>{alt || 'Image'}</ForeignLink>
  ),
  // Focusable, so that a keyboard can scroll them.
  table: ({ children }) => (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="markdown-table" tabIndex={0} role="group" aria-label="Table">
      <table>{children}</table>
    </div>
  ),
  pre: ({ node, children }) => <MarkdownCode node={node}>{children}</MarkdownCode>,
}
/** Headings of a text stand below those of the page. */
const lowerHeadings: Components = {
  h1: ({ children }) => <h3>{children}</h3>,
  h2: ({ children }) => <h3>{children}</h3>,
  h3: ({ children }) => <h4>{children}</h4>,
  h4: ({ children }) => <h5>{children}</h5>,
}

const linkTo = (toPage: (href: string) => string | undefined): NonNullable<Components['a']> =>
  function PageLink({ href = '', children }) {
    const page = toPage(href)
    return page === undefined ? (
      <ForeignLink href={href}>{children}</ForeignLink>
    ) : (
      <Link href={page}>{children}</Link>
    )
  }

/** Gives each block of JSON one line for each value. */
function layOutBlocks() {
  return function visit(node: TextNode): void {
    for (const child of node.children ?? []) {
      if (child.tagName === 'code' && languageOf(child) === 'json')
        child.children = [{ type: 'text', value: layOutJson(textOfNode(child)) }]
      else visit(child)
    }
  }
}

interface MarkdownTextProps {
  readonly text: string
  /**
   * Page of this application that a link leads to, for texts that are a page of their own: their headings keep their levels.
   * The same function at each render.
   */
  readonly toPage?: (href: string) => string | undefined
}

/** {@link Markdown} once its library is loaded. */
function MarkdownText({ text, toPage }: MarkdownTextProps) {
  const hasFormulas = mayHoldFormulas(text)
  const highlighting = useLoaded(namedFence.test(text), loadHighlighting)
  const formulas = useLoaded(hasFormulas, loadFormulas)
  const shown = hasFormulas && formulas !== undefined
  const remark = useMemo(() => [remarkGfm, ...(formulas?.readFormulas ?? [])], [formulas])
  const rehype = useMemo(
    () => [
      layOutBlocks,
      ...(highlighting ? [highlighting.highlightCode] : []),
      ...(formulas?.showFormulas ?? []),
    ],
    [formulas, highlighting],
  )
  const shownBy = useMemo(
    () => ({ ...components, ...(toPage ? { a: linkTo(toPage) } : lowerHeadings) }),
    [toPage],
  )
  return (
    <div className="markdown foreign" dir="auto">
      {/* Links are checked where they are rendered. */}
      <ReactMarkdown remarkPlugins={remark} rehypePlugins={rehype} components={shownBy}>
        {shown ? markFormulas(text) : text}
      </ReactMarkdown>
    </div>
  )
}

export default memo(MarkdownText)
