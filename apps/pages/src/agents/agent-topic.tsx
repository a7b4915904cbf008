import { type ReactNode, useState } from 'react'
import { Card } from '../components/layout/card.tsx'
import { Disclosure } from '../components/layout/disclosure.tsx'
import type { AgentDraft } from './agent-draft.ts'

/** What every part of an agent's form takes. */
export interface AgentSectionProps {
  readonly draft: AgentDraft
  readonly onChange: (change: Partial<AgentDraft>) => void
  /** What the server found wrong, by the name of the field in the interface. */
  readonly errors: Readonly<Record<string, string>>
  /** Whether it is folded at first. @default false */
  readonly isFolded?: boolean | undefined
}

/** What an {@link AgentTopic} takes. */
interface AgentTopicProps extends Pick<AgentSectionProps, 'errors' | 'isFolded'> {
  readonly title: string
  /** How the names of its fields begin: what is wrong in one of them unfolds it. */
  readonly fields: readonly string[]
  readonly children: ReactNode
}

/** Fields of an agent that belong together; folded where most people need none of them. */
export function AgentTopic({ title, fields, errors, isFolded = false, children }: AgentTopicProps) {
  const [isOpen, setIsOpen] = useState(!isFolded)
  const isWrong = Object.keys(errors).some((name) => fields.some((field) => name.startsWith(field)))
  if (!isFolded) return <Card title={title}>{children}</Card>
  return (
    <Card>
      <Disclosure title={title} isExpanded={isOpen || isWrong} onExpandedChange={setIsOpen}>
        <div className="stack">{children}</div>
      </Disclosure>
    </Card>
  )
}
