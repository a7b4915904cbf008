import type { Agent, AgentVersion } from '@homeward/contract/agent-platform'
import type { NewAuditEntry } from './audit-store.ts'
import type { Page, PageRequest } from './page.ts'

/** Store of agents. Implementations must pass `agentStoreConformance`. */
export interface AgentStore {
  /** Stores an agent as version 1. @returns false without a change if the id already exists. */
  insertAgent(agent: Agent, audit?: NewAuditEntry, signal?: AbortSignal): Promise<boolean>
  /**
   * Replaces the agent with the same id. If a field differs, this is a new version.
   *
   * @returns the version; undefined if the agent does not exist.
   */
  replaceAgent(agent: Agent, audit?: NewAuditEntry, signal?: AbortSignal): Promise<number | undefined>
  /** Deletes an agent with its versions. @returns false if it does not exist. */
  deleteAgent(id: string, audit?: NewAuditEntry, signal?: AbortSignal): Promise<boolean>
  /** Finds an agent. @returns undefined if it does not exist. */
  findAgent(id: string, signal?: AbortSignal): Promise<Agent | undefined>
  /** Lists all agents, sorted by `created_at`, then `id`. */
  listAgents(signal?: AbortSignal): Promise<Agent[]>
}

/** Versions of agents, at most 200 of each: then the oldest goes. Implementations must pass `agentVersionConformance`. */
export interface AgentVersionStore {
  /** Newest first, with what differs from the version before. */
  listAgentVersions(id: string, page: PageRequest, signal?: AbortSignal): Promise<Page<AgentVersion>>
  /** The agent as a version was. @returns undefined if the version is missing. */
  findAgentVersion(id: string, version: number, signal?: AbortSignal): Promise<Agent | undefined>
  /**
   * Records an agent that is stored elsewhere, such as in a file. Its newest version stays if no field differs.
   *
   * @returns the version
   */
  saveAgentVersion(agent: Agent, actor: string | undefined, signal?: AbortSignal): Promise<number>
  /** Deletes all versions of an agent that is stored elsewhere. */
  deleteAgentVersions(id: string, signal?: AbortSignal): Promise<void>
}
