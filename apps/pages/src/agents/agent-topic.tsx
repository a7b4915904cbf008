import type { ReactNode } from 'react'
import { Card } from '../components/layout/card.tsx'
import { Disclosure } from '../components/layout/disclosure.tsx'
import { useState } from 'react'
import type { AgentSectionProps } from './agent-section.ts'

/** What an {@link AgentTopic} takes. */
export interface AgentTopicProps extends Pick<AgentSectionProps, 'errors' | 'isFolded'> {
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
