import type { Json } from '@homeward/contract/agent-platform'
import { LongText } from '../../chat/answer-text.tsx'
import { toShownText } from '../../components/text/to-shown-text.ts'

/** Properties of {@link StepValue}. */
interface StepValueProps {
  readonly title: string
  readonly value: Json | undefined
  readonly isCut?: boolean | undefined
}

/** Input or output of a step: messages one by one, all else as text or JSON. */
export function StepValue({ title, value, isCut = false }: StepValueProps) {
  if (value === undefined || value === null) return null
  const messages = toMessages(value)
  return (
    <div className="stack" data-gap="small">
      <h4>{title}</h4>
      {messages ? (
        messages.map(({ role, text }, index) => (
          // They have no names of their own, and never change places.
          // oxlint-disable-next-line react/no-array-index-key
          <div key={index} className="stack" data-gap="small">
            {role !== '' && <p className="muted small">{role}</p>}
            <LongText text={text} label={role === '' ? title : `${title}: ${role}`} />
          </div>
        ))
      ) : (
        <LongText text={toShownText(value)} label={title} />
      )}
      {isCut && <p className="muted small">The value is too long to be shown in full.</p>}
    </div>
  )
}

interface ShownMessage {
  readonly role: string
  readonly text: string
}

/** Messages of a model call; undefined for another value. */
function toMessages(value: Json): readonly ShownMessage[] | undefined {
  const list = Array.isArray(value) ? value : [value]
  const messages = list.map(toMessage)
  return messages.every((message) => message !== undefined) ? messages.flat() : undefined
}

function toMessage(value: Json): readonly ShownMessage[] | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const { role, content, tool_calls: calls, ...rest } = value
  if (typeof role !== 'string') return undefined
  const others = Object.keys(rest).length > 0 ? toShownText(rest) : ''
  return [
    ...(content === undefined || content === '' ? [] : [{ role, text: toShownText(content) }]),
    ...(calls === undefined ? [] : [{ role: 'tool calls', text: toShownText(calls) }]),
    ...(others === '' ? [] : [{ role: `${role}, more`, text: others }]),
  ]
}
