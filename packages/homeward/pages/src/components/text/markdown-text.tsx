import { memo } from 'react'
import ReactMarkdown, { type Components } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { ForeignLink } from './foreign-link.tsx'
import { layOutJson } from './lay-out-json.ts'
import './markdown.css'

const plugins = [remarkGfm]

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
  pre: ({ children }) => (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <pre tabIndex={0} role="group" aria-label="Code">
      {children}
    </pre>
  ),
  code: ({ className, children }) => (
    <code className={className}>
      {className === 'language-json' && typeof children === 'string' ? layOutJson(children) : children}
    </code>
  ),
  // Headings of a text stand below those of the page.
  h1: ({ children }) => <h3>{children}</h3>,
  h2: ({ children }) => <h3>{children}</h3>,
  h3: ({ children }) => <h4>{children}</h4>,
  h4: ({ children }) => <h5>{children}</h5>,
}

/** {@link Markdown} once its library is loaded. */
function MarkdownText({ text }: { readonly text: string }) {
  return (
    <div className="markdown foreign" dir="auto">
      {/* Links are checked where they are rendered. */}
      <ReactMarkdown remarkPlugins={plugins} components={components}>
        {text}
      </ReactMarkdown>
    </div>
  )
}

export default memo(MarkdownText)
