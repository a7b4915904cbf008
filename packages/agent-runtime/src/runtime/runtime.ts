import type { RunEvent, RunRequest, RunResult } from '@homeward/contract/agent-platform'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { EventEmitter } from 'eventemitter3'
import type { Audit } from '../audit/create-audit.ts'
import type { Agents } from '../agents/agents.ts'
import type { Channels } from '../channels/channels.ts'
import type { Conversations } from '../conversations/conversations.ts'
import type { Responses } from '../conversations/responses.ts'
import type { RunFeedback } from '../feedback/create-feedback.ts'
import type { Files } from '../files/files.ts'
import type { Graphs } from '../graphs/graphs.ts'
import type { Logs } from '../journal/create-logs.ts'
import type { RuntimeEvents } from '../journal/runtime-events.ts'
import type { Knowledge } from '../knowledge/knowledge.ts'
import type { Memories } from '../memory/memories.ts'
import type { Triggers } from '../triggers/triggers.ts'
import type { WhatIfs } from '../what-if/create-what-ifs.ts'
import type { Webhooks } from '../webhooks/webhooks.ts'
import type { McpCatalog } from '../tools/mcp/mcp-catalog.ts'
import type { ModelCatalog } from '../models/model-catalog.ts'
import type { Logger } from '../ports/logger.ts'
import type { RunEventsOptions, Runs } from '../runs/runs.ts'
import type { Schedules } from '../schedules/schedules.ts'
import type { RuntimeSettings } from '../settings/runtime-settings.ts'
import type { SkillLibrary } from '../skills/skill-library.ts'
import type { Tasks } from '../tasks/tasks.ts'
import type { Tokens } from '../tokens/create-tokens.ts'
import type { PriceBook } from '../usage/price-book.ts'
import type { UsageReports } from '../usage/usage.ts'

/** Options for starting a run from your code. */
export interface RunOptions {
  /** Cancels the run when it aborts: the model call, the tools and their child processes stop. */
  readonly signal?: AbortSignal
  /** Longest the run may take, in milliseconds. Narrows `limits.max_runtime` (A5). */
  readonly maxRuntimeMs?: number
}

/** Options for starting a run from your code and reading its events. */
export interface StreamOptions extends RunOptions, RunEventsOptions {}

/** A run under way. */
export interface RunStream {
  readonly runId: string
  readonly conversationId: string
  /** Events from the first one to `done` or `error`. Leaving the loop does not stop the run. */
  readonly events: AsyncIterable<RunEvent>
  /**
   * The text of the answer as it is written, piece by piece, with the text of earlier turns. It ends with the run, also if the run
   * fails: `result` says how. With `untilWaiting` it also ends where the run waits for people. Independent of {@link events}; nothing is read for it unless you iterate over it.
   */
  readonly text: AsyncIterable<string>
  /** How the run ended or where it waits. Never rejects for a failed run. */
  readonly result: Promise<RunResult>
}

/** A request whose output is described by a schema of zod 4, or of another library that gives a JSON Schema. */
export interface TypedRunRequest<Output> extends Omit<RunRequest, 'output_schema'> {
  /**
   * Takes the place of the agent's own `output_schema`: a Standard Schema that can produce a JSON Schema. The model writes what
   * the schema reads, and corrects it at most twice. Defaults, transformations and refinements apply.
   */
  readonly output: StandardSchemaV1<unknown, Output>
}

/** A result whose data has the type of its schema. */
export interface TypedRunResult<Output> extends Omit<RunResult, 'data'> {
  /** Absent if the run failed, or waits for a person. */
  readonly data?: Output
}

/** A run under way whose result has the type of its schema. */
export interface TypedRunStream<Output> extends Omit<RunStream, 'result'> {
  /** How the run ended or where it waits. Never rejects for a failed run. */
  readonly result: Promise<TypedRunResult<Output>>
}

/** The runs of a runtime, for your program. */
export type RuntimeRuns = Omit<Runs, 'answers' | 'close' | 'startGraph' | 'onEnded' | 'loggedIn' | 'elicited'>

/** Agents and everything that they need, inside your program: see `createRuntime`. */
export interface AgentRuntime {
  readonly agents: Agents
  readonly runs: RuntimeRuns
  /** Stored runs, played with a changed agent. */
  readonly whatIfs: WhatIfs
  /** Feedback on runs. */
  readonly feedback: RunFeedback
  /** Work in the background (A7). */
  readonly tasks: Tasks
  /** Agents in dependency order (A10). */
  readonly graphs: Graphs
  /** Schedules of agents and graphs. */
  readonly schedules: Schedules
  /** Messaging platforms (A1). */
  readonly channels: Channels
  readonly conversations: Conversations
  /** Stored responses of the OpenAI-compatible endpoint. */
  readonly responses: Responses
  /** Files that messages and results refer to. */
  readonly files: Files
  readonly memory: Memories
  /** Collections of documents that agents search. */
  readonly collections: Knowledge
  readonly skills: SkillLibrary
  readonly settings: RuntimeSettings
  /** Other programs that are notified of events (A30). */
  readonly webhooks: Webhooks
  /** Addresses that other programs call to start work. */
  readonly triggers: Triggers
  /** Model providers, and the models that they offer (A21). */
  readonly models: ModelCatalog
  /** MCP servers whose tools agents use (A29). */
  readonly mcp: McpCatalog
  readonly logs: Logs
  /** Usage of model calls. */
  readonly usage: UsageReports
  /** Prices of models: the built-in catalog, and prices that the operator set. */
  readonly prices: PriceBook
  /** Access tokens with scopes, for callers of the HTTP API (A26). */
  readonly tokens: Tokens
  /** Who changed what (A27). */
  readonly audit: Audit
  /** Facts as they happen. */
  readonly events: EventEmitter<RuntimeEvents>
  /** The logger of the runtime, for handlers that use the runtime. Without one, nothing is logged. */
  readonly logger: Logger
  // A variable with `output` is a RunRequest too, so the overloads with a schema come first.
  /**
   * Runs an agent and returns data of the type of a schema.
   *
   * @throws {RuntimeError} as without one; `validation_error` for a schema that gives no JSON Schema.
   * @example
   * ```ts
   * const { data } = await runtime.run({ agent_id: 'a', task: 'Where is it warm?', output: z.object({ city: z.string() }) })
   * console.log(data?.city)
   * ```
   */
  run<Output>(request: TypedRunRequest<Output>, options?: RunOptions): Promise<TypedRunResult<Output>>
  /**
   * Runs an agent and returns its result. A failed run does not throw: see `success`, `error` and `code`.
   *
   * @throws {RuntimeError} when the run could not be started: `validation_error`, `not_found`, `model_not_configured`,
   *   `conflict`, `closed`.
   */
  run(request: RunRequest, options?: RunOptions): Promise<RunResult>
  /** Runs an agent, gives its events as they happen, and data of the type of a schema. @throws {RuntimeError} as {@link run} */
  stream<Output>(request: TypedRunRequest<Output>, options?: StreamOptions): Promise<TypedRunStream<Output>>
  /** Runs an agent and gives its events as they happen. @throws {RuntimeError} as {@link run} */
  stream(request: RunRequest, options?: StreamOptions): Promise<RunStream>
  /**
   * Goes on with what an earlier process has left, and begins to carry out tasks and schedules, to deliver answers to
   * messaging platforms and to ask them for messages. Without it, a runtime goes on with what was left at its first call,
   * carries out tasks from the first one that it is given, delivers answers from the first message that comes in, fires
   * no schedule and asks no platform.
   */
  start(): Promise<void>
  /**
   * Stops all work, waits for it to end, and closes files and child processes. With a durable store nothing is lost: runs
   * and tasks resume at the next start, or in another process. Safe to call twice.
   */
  close(): Promise<void>
  /** The same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}
