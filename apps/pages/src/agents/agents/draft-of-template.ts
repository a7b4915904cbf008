import type { Agent, AgentPatch } from '@homeward/contract/agent-platform'
import { type AgentDraft, toDraft } from './agent-draft.ts'

/** The form of a new agent that begins with a template, over what is written: its model and its id stay. */
export function draftOfTemplate(
  template: AgentPatch,
  { id, model, provider }: Pick<AgentDraft, 'id' | 'model' | 'provider'>,
): AgentDraft {
  const given = Object.entries(template).filter(([, value]) => value !== null && value !== undefined)
  // what a patch does not clear are fields of an agent
  const agent = { skills: [], ...Object.fromEntries(given), id, model } as unknown as Agent
  return { ...toDraft(agent), provider }
}
