import type {
  AgentTemplate,
  Agent,
  AgentInput,
  AgentPatch,
  AgentVersion,
} from '@homeward/contract/agent-platform'
import type { AgentDefinition } from './agent-definition.ts'

/** Which versions of an agent. */
interface AgentVersionQuery {
  /** 1 to 200. @default 50 */
  readonly limit?: number | undefined
  /** Where the page before ended. */
  readonly cursor?: string | undefined
}

/** A page of versions. */
interface AgentVersionPage {
  readonly versions: AgentVersion[]
  /** Present if there are more. */
  readonly nextCursor?: string
}

/** The agents of a runtime (A3): see `createAgents`. */
export interface Agents {
  /** Templates for agents: their fields without a model, and their requirements. */
  templates(): Promise<AgentTemplate[]>
  /** All agents, oldest first. */
  list(signal?: AbortSignal): Promise<Agent[]>
  /** @throws {RuntimeError} `not_found` */
  get(id: string, signal?: AbortSignal): Promise<Agent>
  /** @returns undefined when there is none. */
  find(id: string, signal?: AbortSignal): Promise<Agent | undefined>
  /** Creates an agent. Without an `id`, the runtime generates one. @throws {RuntimeError} `validation_error`, `conflict`. */
  create(input: AgentInput, signal?: AbortSignal): Promise<Agent>
  /**
   * Changes an agent. Absent fields keep their value, and `null` clears a field.
   *
   * @throws {RuntimeError} `validation_error`, `not_found`.
   */
  update(id: string, patch: AgentPatch, signal?: AbortSignal): Promise<Agent>
  /**
   * Creates the agent of a definition, or updates the stored agent to match it. Fields that the definition leaves out are
   * cleared. Writes nothing if nothing changed. From then on, this process knows the tools and the instructions function of
   * the definition, so put your agents before `start()`, in every process.
   *
   * @throws {RuntimeError} `validation_error`
   */
  put<Context>(definition: AgentDefinition<Context>, signal?: AbortSignal): Promise<Agent>
  /**
   * Lists the newest 200 versions of an agent, newest first. Each names the fields that it changed. Secrets of the settings are
   * taken out.
   *
   * @throws {RuntimeError} `not_found`
   */
  versions(id: string, query?: AgentVersionQuery, signal?: AbortSignal): Promise<AgentVersionPage>
  /**
   * Gives an agent the fields of one of its versions. This is a new version, unless nothing differs. An agent in code is what its
   * definition says again at the next `put`.
   *
   * @throws {RuntimeError} `not_found`; `validation_error` if a field is not valid anymore.
   */
  restore(id: string, version: number, signal?: AbortSignal): Promise<Agent>
  /** Names of the tools in code that the definition of an agent has in this process. Empty for an agent without code. */
  codeTools(id: string): Promise<readonly string[]>
  /** Deletes an agent. Its conversations and memories stay. @throws {RuntimeError} `not_found` */
  delete(id: string, signal?: AbortSignal): Promise<void>
}
