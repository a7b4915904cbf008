import type { AgentDraft } from './agent-draft.ts'

/** What every part of an agent's form takes. */
export interface AgentSectionProps {
  readonly draft: AgentDraft
  readonly onChange: (change: Partial<AgentDraft>) => void
  /** What the server found wrong, by the name of the field in the interface. */
  readonly errors: Readonly<Record<string, string>>
}
