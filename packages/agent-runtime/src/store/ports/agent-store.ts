import type { Agent } from '@homeward/contract/agent-platform'
import type { NewAuditEntry } from './audit-store.ts'

/** Where agents are kept. Implementations must pass `agentStoreConformance`. */
export interface AgentStore {
  /** @returns false, and changes nothing, when the id is taken. */
  insertAgent(agent: Agent, audit?: NewAuditEntry, signal?: AbortSignal): Promise<boolean>
  /** Puts an agent in the place of the one with its id. @returns false when there is none. */
  replaceAgent(agent: Agent, audit?: NewAuditEntry, signal?: AbortSignal): Promise<boolean>
  /** @returns false when there is none. */
  deleteAgent(id: string, audit?: NewAuditEntry, signal?: AbortSignal): Promise<boolean>
  /** @returns undefined when there is none. */
  findAgent(id: string, signal?: AbortSignal): Promise<Agent | undefined>
  /** All agents, `created_at` then `id` ascending. */
  listAgents(signal?: AbortSignal): Promise<Agent[]>
}
