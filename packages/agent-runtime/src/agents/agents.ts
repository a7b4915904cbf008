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

/** The agents of a runtime. */
export interface Agents {
  /** Templates for agents: their fields without a model, and their requirements. */
  templates(): Promise<AgentTemplate[]>
  /** Lists all agents, oldest first. */
  list(signal?: AbortSignal): Promise<Agent[]>
  /** Returns an agent. @throws {RuntimeError} `not_found` */
  get(id: string, signal?: AbortSignal): Promise<Agent>
  /** Returns an agent. @returns undefined if it does not exist. */
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
   * Creates the agent of a definition, or updates the stored agent to match it.
   *
   * Fields missing in the definition are cleared. Writes nothing if nothing changed. From then on, this process has
   * the tools and the instructions function of the definition, so put your agents before `start()`, in every process.
   *
   * @throws {RuntimeError} `validation_error`
   */
  put<Context>(definition: AgentDefinition<Context>, signal?: AbortSignal): Promise<Agent>
  /**
   * Lists the newest 200 versions of an agent with their changed fields, newest first. Secrets of the settings are
   * removed.
   *
   * @throws {RuntimeError} `not_found`
   */
  versions(id: string, query?: AgentVersionQuery, signal?: AbortSignal): Promise<AgentVersionPage>
  /**
   * Restores the fields of an earlier version of an agent, as a new version unless nothing differs.
   *
   * For an agent in code, the next `put` of its definition overwrites the restored fields.
   *
   * @throws {RuntimeError} `not_found`; `validation_error` if a field is no longer valid.
   */
  restore(id: string, version: number, signal?: AbortSignal): Promise<Agent>
  /** Returns the names of an agent's tools in code in this process. Empty for an agent without code. */
  codeTools(id: string): Promise<readonly string[]>
  /** Deletes an agent. Its conversations and memories stay. @throws {RuntimeError} `not_found` */
  delete(id: string, signal?: AbortSignal): Promise<void>
}
