import { lazy, Suspense } from 'react'

const MarkdownText = lazy(() => import('./markdown-text.tsx'))

/** What {@link Markdown} takes. */
export interface MarkdownProps {
  readonly text: string
}

/**
 * Text of models and skills with its formatting. HTML in it is shown as text, images are links, and links lead to the web or
 * to a mail program only.
 */
export function Markdown({ text }: MarkdownProps) {
  return (
    <Suspense fallback={<div className="foreign plain-text">{text}</div>}>
      <MarkdownText text={text} />
    </Suspense>
  )
}
