import type { Agent, AgentInput } from '@homeward/contract/agent-platform'
import { withoutBlanks } from './without-blanks.ts'

/** The agent as it is stored: its fields, and the defaults of those that are missing. */
export function toAgent(
  fields: AgentInput,
  stored: Pick<Agent, 'id' | 'version' | 'created_at' | 'updated_at'>,
): Agent {
  const { id, version, created_at, updated_at } = stored
  return { skills: [], schedule_enabled: true, ...withoutBlanks(fields), id, version, created_at, updated_at }
}
