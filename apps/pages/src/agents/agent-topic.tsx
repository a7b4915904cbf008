import { type ReactNode, useState } from 'react'
import { Card } from '../components/layout/card.tsx'
import { Disclosure } from '../components/layout/disclosure.tsx'
import type { AgentDraft } from './agent-draft.ts'
import type { TopicSummaries } from './topic-summaries.ts'

/** What every part of an agent's form takes. */
export interface AgentSectionProps {
  readonly draft: AgentDraft
  readonly onChange: (change: Partial<AgentDraft>) => void
  /** What the server found wrong, by the name of the field in the interface. */
  readonly errors: Readonly<Record<string, string>>
  /** Whether it is folded at first. @default false */
  readonly isFolded?: boolean | undefined
  /** What is chosen in each folded part. */
  readonly summaries?: TopicSummaries
}

/** What an {@link AgentTopic} takes. */
interface AgentTopicProps extends Pick<AgentSectionProps, 'errors' | 'isFolded'> {
  readonly title: string
  /** What is chosen in it, for those who do not unfold it. */
  readonly summary?: string | undefined
  /** How the names of its fields begin: what is wrong in one of them unfolds it. */
  readonly fields: readonly string[]
  readonly children: ReactNode
}

/** Fields of an agent that belong together; folded where most people need none of them. */
export function AgentTopic({ title, summary, fields, errors, isFolded = false, children }: AgentTopicProps) {
  const [isOpen, setIsOpen] = useState(!isFolded)
  const isWrong = Object.keys(errors).some((name) => fields.some((field) => name.startsWith(field)))
  if (!isFolded) return <Card title={title}>{children}</Card>
  return (
    <Card>
      <Disclosure
        title={
          summary === undefined ? (
            title
          ) : (
            <>
              {title} <span className="muted agent-topic-summary">{summary}</span>
            </>
          )
        }
        isExpanded={isOpen || isWrong}
        onExpandedChange={setIsOpen}
      >
        <div className="stack">{children}</div>
      </Disclosure>
    </Card>
  )
}
