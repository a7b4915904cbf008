import type { AgentTemplate, Agent, AgentInput, AgentPatch } from '@homeward/contract/agent-platform'
import type { AgentDefinition } from './agent-definition.ts'

/** The agents of a runtime (A3): see `createAgents`. */
export interface Agents {
  /** Agents to begin with: their fields without a model, and what they need. */
  templates(): Promise<AgentTemplate[]>
  /** All agents, oldest first. */
  list(signal?: AbortSignal): Promise<Agent[]>
  /** @throws {RuntimeError} `not_found` */
  get(id: string, signal?: AbortSignal): Promise<Agent>
  /** @returns undefined when there is none. */
  find(id: string, signal?: AbortSignal): Promise<Agent | undefined>
  /** Creates an agent; without an `id` it is given one. @throws {RuntimeError} `validation_error`, `conflict`. */
  create(input: AgentInput, signal?: AbortSignal): Promise<Agent>
  /**
   * Changes an agent: absent fields keep their value, `null` clears.
   *
   * @throws {RuntimeError} `validation_error`, `not_found`.
   */
  update(id: string, patch: AgentPatch, signal?: AbortSignal): Promise<Agent>
  /**
   * Creates the agent of a definition, or brings the stored one to it: fields that the definition leaves out are cleared. Nothing is
   * written if nothing changed. The definition's tools and instructions function are known to this process from then on, so put
   * your agents before `start()`, in every process.
   *
   * @throws {RuntimeError} `validation_error`
   */
  put<Context>(definition: AgentDefinition<Context>, signal?: AbortSignal): Promise<Agent>
  /** Deletes an agent; its conversations and memories stay. @throws {RuntimeError} `not_found` */
  delete(id: string, signal?: AbortSignal): Promise<void>
}
