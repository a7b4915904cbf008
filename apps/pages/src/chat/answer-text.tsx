import { memo } from 'react'
import { isLightMarkdown } from '../components/text/is-light-markdown.ts'
import { Markdown } from '../components/text/markdown.tsx'
import { LongText } from './long-text.tsx'

/** What an agent said. A text that would hold the page up is shown as it stands. */
export const AnswerText = memo(function AnswerText({ text }: { readonly text: string }) {
  return isLightMarkdown(text) ? <Markdown text={text} /> : <LongText text={text} label="Answer" />
})
