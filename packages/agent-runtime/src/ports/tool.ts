import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import type { ToolContent } from './tool-content.ts'

/** What a tool call may know about its run. */
export interface ToolContext {
  readonly agentId: string
  readonly userId?: string
  readonly runId: string
  readonly conversationId: string
  /** The same for every repeat of this very call. */
  readonly idempotencyKey: string
  /** Absolute path of the agent's workspace folder; it exists. */
  readonly workspace: string
  /** Whether the run has read content that a stranger may have made. */
  readonly tainted: boolean
  /** Agents above this one: 0 for a run that a person started. */
  readonly depth: number
  /** Aborts when the run is cancelled or its time is over. */
  readonly signal: AbortSignal
}

/** What a tool does to the world: nothing, the workspace and the agent's memory, or anything beyond (A16). */
export type ToolEffects = 'read' | 'write' | 'external'

/** All of them. */
export const toolEffects: readonly ToolEffects[] = ['read', 'write', 'external']

/** Something a model can call. */
export interface Tool {
  /** Unique among all tools; what models, people, approvals and events know it by. */
  readonly id: string
  readonly description: string
  /**
   * JSON Schema of the arguments: an object, as one is written, or as `z.toJSONSchema(schema, { io: 'input' })` gives it.
   * Arguments that do not match never reach `call`.
   */
  readonly parameters: Readonly<Record<string, unknown>>
  readonly effects: ToolEffects
  /** Whether a call that may have run can be made again (A8). */
  readonly repeat: 'safe' | 'once'
  /** Whether its results may hold content that a stranger made (A20). */
  readonly untrusted: boolean
  /** Whether this very result does, for a tool of which only some do. @default every result of an `untrusted` tool */
  readonly isUntrusted?: (result: Json) => boolean
  /** Longest a call may take, in milliseconds. @default the rest of the run's time */
  readonly timeoutMs?: number
  /**
   * Whether an aborted call settles soon, and not before everything that it started has ended, such as a program. The run
   * then waits for it before it goes on or ends. @default false: an aborted call is not waited for
   */
  readonly settlesOnAbort?: boolean
  /**
   * @returns the result for the model: any JSON, or {@link ToolContent} with files.
   * @throws {Error} whose message the model may read: no secret in it.
   */
  call(args: JsonObject, context: ToolContext): Promise<Json | ToolContent>
}

/** Where tools come from besides skills and the built-in ones: an MCP client, a host's own code. */
export interface ToolSource {
  /** Tools for one run of an agent. They are asked for once at its start. */
  toolsFor(agentId: string, signal: AbortSignal): Promise<readonly Tool[]>
}
