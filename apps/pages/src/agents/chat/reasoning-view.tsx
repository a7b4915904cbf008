import { Brain } from 'lucide-react'
import { Disclosure } from '../../components/layout/disclosure.tsx'

/** More than that would hold the page up. */
const mostShown = 50_000

/** What the model thinks, folded until somebody wants to read it. */
export function ReasoningView({ text }: { readonly text: string }) {
  const title = (
    <span className="chat-call-title">
      <Brain aria-hidden />
      <span className="muted">Reasoning</span>
    </span>
  )
  return (
    <div className="chat-call">
      <Disclosure title={title}>
        <p className="chat-reasoning muted small foreign" dir="auto">
          {text.length > mostShown ? `…${text.slice(-mostShown)}` : text}
        </p>
      </Disclosure>
    </div>
  )
}
