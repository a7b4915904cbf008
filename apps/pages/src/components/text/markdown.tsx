import { lazy, Suspense } from 'react'
import { ErrorBoundary } from '../states/error-boundary.tsx'
import { cutText } from './cut-text.ts'
import { isLightMarkdown } from './is-light-markdown.ts'

const MarkdownText = lazy(() => import('./markdown-text.tsx'))
const PlainMarkdownText = lazy(async () => ({
  default: (await import('./plain-markdown-text.tsx')).PlainMarkdownText,
}))

/** What {@link Markdown} takes. */
interface MarkdownProps {
  readonly text: string
}

/**
 * Text of models and skills with its formatting. HTML in it is shown as text, images are links, and links lead to the web or
 * to a mail program only. What cannot be laid out, or not in time, stands as it is.
 */
export function Markdown({ text }: MarkdownProps) {
  const asItIs = <div className="foreign plain-text">{text}</div>
  if (!isLightMarkdown(text)) return asItIs
  return (
    <ErrorBoundary resetKey={text} fallback={asItIs}>
      <Suspense fallback={asItIs}>
        <MarkdownText text={text} />
      </Suspense>
    </ErrorBoundary>
  )
}

/** The text of {@link Markdown} without its formatting, up to a length: for those who listen. It suspends until it can be said. */
export function PlainMarkdown({ text, maxLength }: MarkdownProps & { readonly maxLength: number }) {
  const asItIs = cutText(text, maxLength)
  if (!isLightMarkdown(text)) return asItIs
  return (
    <ErrorBoundary resetKey={text} fallback={asItIs}>
      <PlainMarkdownText text={text} maxLength={maxLength} />
    </ErrorBoundary>
  )
}
