import { memo } from 'react'
import { Markdown } from '../../components/markdown.tsx'
import { LongText } from './long-text.tsx'

/** Markdown of this length is laid out fast enough to grow while it is read. */
const longestMarkdown = 60_000

/** What an agent said. A text that would hold the page up is shown as it stands. */
export const AnswerText = memo(function AnswerText({ text }: { readonly text: string }) {
  if (text.length > longestMarkdown) return <LongText text={text} label="Answer" />
  return <Markdown text={text} />
})
