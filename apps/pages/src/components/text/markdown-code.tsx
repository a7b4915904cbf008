import type { ReactNode } from 'react'
import { CopyButton } from '../buttons/copy-button.tsx'
import { languageOf, type TextNode, textOfNode } from './text-node.ts'
import './markdown-code.css'

const longestLanguage = 30

/** A code block of a text, with its language and a button that copies it. */
export function MarkdownCode({
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
