import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CodeBlock } from '../../components/code-block.tsx'
import { formatCount } from './to-shown-text.ts'

const shownAtFirst = 8000

/** Text of any length as it stands: its begin, and the rest for who wants it. */
export function LongText({ text, label }: { readonly text: string; readonly label: string }) {
  const [isWhole, setIsWhole] = useState(false)
  const isCut = text.length > shownAtFirst && !isWhole
  return (
    <div className="stack" data-gap="small">
      <CodeBlock code={isCut ? `${text.slice(0, shownAtFirst)}…` : text} label={label} isWrapped />
      {isCut && (
        <div>
          <Button variant="quiet" onPress={() => setIsWhole(true)}>
            Show all {formatCount(text.length)} characters
          </Button>
        </div>
      )}
    </div>
  )
}
