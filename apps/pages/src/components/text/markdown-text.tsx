import { memo, useMemo, useEffect, useState, type ReactNode } from 'react'
import { Link } from 'react-aria-components'
import ReactMarkdown, { type Components } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { ForeignLink } from './foreign-link.tsx'
import { languageOf, type TextNode, textOfNode } from './text-node.ts'
import './markdown.css'
import { CopyButton } from '../buttons/copy-button.tsx'
import './markdown-code.css'

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

const imageFrom = (toImage: (src: string) => string | undefined): NonNullable<Components['img']> =>
  function OwnImage({ src, alt = '' }) {
    const own = typeof src === 'string' ? toImage(src) : undefined
    return own === undefined ? <em>{alt}</em> : <img src={own} alt={alt} />
  }

interface MarkdownTextProps {
  readonly text: string
  /** Address of an image that came with this application. The same function at each render. */
  readonly toImage?: (src: string) => string | undefined
  /**
   * Page of this application that a link leads to, for texts that are a page of their own: their headings keep their levels.
   * The same function at each render.
   */
  readonly toPage?: (href: string) => string | undefined
}

/** {@link Markdown} once its library is loaded. */
function MarkdownText({ text, toPage, toImage }: MarkdownTextProps) {
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
    () => ({
      ...components,
      ...(toPage ? { a: linkTo(toPage) } : lowerHeadings),
      ...(toImage && { img: imageFrom(toImage) }),
    }),
    [toPage, toImage],
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

/** JSON in a line of its own as lines that people can read; any other text, and what would not come out the same, as it is. */
export function layOutJson(text: string): string {
  try {
    const value: unknown = JSON.parse(text)
    // numbers with many digits and repeated names would be others
    return JSON.stringify(value) === text.trim() ? JSON.stringify(value, null, 2) : text
  } catch {
    return text
  }
}

/**
 * What a part of the application gives once it is loaded, and it is loaded only while it is wanted. Undefined until then,
 * and where it cannot be loaded: what it adds is not there.
 *
 * @param load a function of the module: another one at each render would load it again.
 */
function useLoaded<Part>(isWanted: boolean, load: () => Promise<Part>): Part | undefined {
  const [part, setPart] = useState<{ readonly loaded: Part }>()
  useEffect(() => {
    if (!isWanted) return
    let isShown = true
    load().then(
      (loaded) => {
        if (isShown) setPart({ loaded })
      },
      () => {},
    )
    return () => {
      isShown = false
    }
  }, [isWanted, load])
  return part?.loaded
}

const longestLanguage = 30

/** A code block of a text, with its language and a button that copies it. */
function MarkdownCode({
  node,
  children,
}: {
  readonly node: TextNode | undefined
  readonly children: ReactNode
}) {
  const code = node?.children?.[0]
  const language = code && languageOf(code)?.slice(0, longestLanguage)
  const label = language === undefined ? 'Code' : `Code in ${language}`
  return (
    <div className="markdown-code" dir="ltr">
      <div className="markdown-code-head">
        <span className="muted small mono">{language}</span>
        <CopyButton text={code ? textOfNode(code).replace(/\n$/, '') : ''} label="Copy code" isIconOnly />
      </div>
      {/* Focusable, so that a keyboard can scroll it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0} role="group" aria-label={label}>
        {children}
      </pre>
    </div>
  )
}

/** Code, in which nothing is a formula: fenced blocks, also one that is not closed yet, and spans. */
const code =
  /(^ {0,3}(`{3,}|~{3,})[^\n]*\n[^]*?(?:^ {0,3}\2[`~]*[ \t]*$|$(?![^]))|(`+)(?!`)[^]*?[^`]\3(?!`))/gm

/** As models write displayed formulas: `\[…\]`, or `$$…$$` by itself on its lines. */
const displayed = /\\\[([^]{1,4000}?)\\\]|^[ \t]*\$\$([^$]{1,4000}?)\$\$[ \t]*$/gm

/**
 * As models write formulas within a line: `\(…\)`, or `$…$`. As in Pandoc, no space stands inside a dollar sign and no digit
 * behind the second one: "$5 and $10" are prices.
 */
const inLine = /\\\(([^\n]{1,1000}?)\\\)|(?<![\\$\w])\$(?![\s$])([^$\n]{1,1000}?)(?<![\s\\])\$(?![$\d])/g

/** Whether a text may hold formulas: then their library is worth loading. */
export const mayHoldFormulas = (text: string): boolean => /\$[^$\n]+\$|\$\$|\\\(|\\\[/.test(text)

/** Markdown with each formula in the one form that is read as such. Code stays as it is. */
export function markFormulas(text: string): string {
  let marked = ''
  let end = 0
  for (const found of text.matchAll(code)) {
    marked += markProse(text.slice(end, found.index)) + found[0]
    end = found.index + found[0].length
  }
  return marked + markProse(text.slice(end))
}

function markProse(text: string): string {
  return text
    .replaceAll(displayed, (_, bracketed?: string, dollars?: string) => {
      const formula = (bracketed ?? dollars ?? '').trim()
      return formula === '' ? '' : `\n\n$$\n${formula}\n$$\n\n`
    })
    .replaceAll(
      inLine,
      (_, bracketed?: string, dollars?: string) => `$$${(bracketed ?? dollars ?? '').trim()}$$`,
    )
}
