import { memo, useState } from 'react'
import { isLightMarkdown } from '../components/text/is-light-markdown.ts'
import { Markdown } from '../components/text/markdown.tsx'
import { Button } from '../components/buttons/button.tsx'
import { CodeBlock } from '../components/text/code-block.tsx'
import { formatCount } from '../components/text/to-shown-text.ts'

/** What an agent said. A text that would hold the page up is shown as it stands. */
export const AnswerText = memo(function AnswerText({ text }: { readonly text: string }) {
  return isLightMarkdown(text) ? <Markdown text={text} /> : <LongText text={text} label="Answer" />
})

const shownAtFirst = 8000
/** More than that would hold the page up. */
const mostShown = 500_000

/** Text of any length as it stands: its begin, and more for who wants it. What is copied is all of it. */
export function LongText({ text, label }: { readonly text: string; readonly label: string }) {
  const [isOpen, setIsOpen] = useState(false)
  const length = isOpen ? mostShown : shownAtFirst
  const isCut = text.length > length
  return (
    <div className="stack" data-gap="small">
      <CodeBlock code={isCut ? `${text.slice(0, length)}…` : text} copied={text} label={label} isWrapped />
      {isCut && !isOpen && (
        <div>
          <Button variant="quiet" onPress={() => setIsOpen(true)}>
            {text.length > mostShown ? `Show ${formatCount(mostShown)} of` : 'Show all'}{' '}
            {formatCount(text.length)} characters
          </Button>
        </div>
      )}
      {isCut && isOpen && (
        <p className="muted small">
          {formatCount(text.length - mostShown)} more characters are not shown. Copy the text to get all of
          it.
        </p>
      )}
    </div>
  )
}
