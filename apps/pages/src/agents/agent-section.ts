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
