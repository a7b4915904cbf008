import type { Agent, AgentInput, AgentPatch } from '@homeward/contract/agent-platform'

/** The agents of a runtime (A3): see `createAgents`. */
export interface Agents {
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
  /** Deletes an agent; its conversations and memories stay. @throws {RuntimeError} `not_found` */
  delete(id: string, signal?: AbortSignal): Promise<void>
}
