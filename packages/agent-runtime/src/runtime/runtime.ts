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
  /** Time limit of the run in milliseconds, if lower than `limits.max_runtime`. */
  readonly maxRuntimeMs?: number
}

/** Options for starting a run from your code and reading its events. */
export interface StreamOptions extends RunOptions, RunEventsOptions {}

/** An active run with its events. */
export interface RunStream {
  readonly runId: string
  readonly conversationId: string
  /** Events from the first one to `done` or `error`. Leaving the loop does not stop the run. */
  readonly events: AsyncIterable<RunEvent>
  /**
   * Yields the text of the answer piece by piece as it is written, including text of earlier turns.
   *
   * It ends with the run, also if the run fails: see `result`. With `untilWaiting`, it also ends when the run waits
   * for people. It is independent of {@link events} and costs nothing unless you iterate over it.
   */
  readonly text: AsyncIterable<string>
  /** Result of the run, or its state while it waits. Does not reject for a failed run. */
  readonly result: Promise<RunResult>
}

/** A request whose output has the type of a schema of zod 4, or of another library that provides a JSON Schema. */
export interface TypedRunRequest<Output> extends Omit<RunRequest, 'output_schema'> {
  /**
   * Schema that replaces the agent's `output_schema`: a Standard Schema that can produce a JSON Schema. The model has
   * at most two attempts to correct an invalid output. Defaults, transformations and refinements of the schema apply.
   */
  readonly output: StandardSchemaV1<unknown, Output>
}

/** A result whose data has the type of the schema. */
export interface TypedRunResult<Output> extends Omit<RunResult, 'data'> {
  /** Structured output. Absent if the run failed or waits for a person. */
  readonly data?: Output
}

/** An active run whose result has the type of the schema. */
export interface TypedRunStream<Output> extends Omit<RunStream, 'result'> {
  /** Result of the run, or its state while it waits. Does not reject for a failed run. */
  readonly result: Promise<TypedRunResult<Output>>
}

/** The runs of a runtime, for your program. */
export type RuntimeRuns = Omit<Runs, 'answers' | 'close' | 'startGraph' | 'onEnded' | 'loggedIn' | 'elicited'>

/** A runtime inside your program, from `createRuntime`: agents, runs, stores and everything that agents use. */
export interface AgentRuntime {
  readonly agents: Agents
  readonly runs: RuntimeRuns
  /** Stored runs, replayed with a changed agent. */
  readonly whatIfs: WhatIfs
  /** Feedback on runs. */
  readonly feedback: RunFeedback
  /** Work in the background. */
  readonly tasks: Tasks
  /** Graphs: agents and functions, run in the order of their dependencies. */
  readonly graphs: Graphs
  /** Schedules of agents and graphs. */
  readonly schedules: Schedules
  /** Messaging platforms. */
  readonly channels: Channels
  readonly conversations: Conversations
  /** Stored responses of the OpenAI-compatible endpoint. */
  readonly responses: Responses
  /** Files of messages and results. */
  readonly files: Files
  readonly memory: Memories
  /** Collections of documents that agents search. */
  readonly collections: Knowledge
  readonly skills: SkillLibrary
  readonly settings: RuntimeSettings
  /** Webhooks that notify other programs of events. */
  readonly webhooks: Webhooks
  /** Addresses for other programs to start work. */
  readonly triggers: Triggers
  /** Model providers and their models. */
  readonly models: ModelCatalog
  /** MCP servers whose tools agents use. */
  readonly mcp: McpCatalog
  readonly logs: Logs
  /** Usage of model calls. */
  readonly usage: UsageReports
  /** Prices of models: the built-in catalog, and prices that the operator set. */
  readonly prices: PriceBook
  /** Access tokens with scopes, for callers of the HTTP API. */
  readonly tokens: Tokens
  /** The audit log of changes. */
  readonly audit: Audit
  /** Events of the runtime as they happen. */
  readonly events: EventEmitter<RuntimeEvents>
  /** The logger of the runtime, for handlers that use the runtime. Without one, nothing is logged. */
  readonly logger: Logger
  // A variable with `output` is a RunRequest too, so the overloads with a schema come first.
  /**
   * Runs an agent and returns data with the type of a schema.
   *
   * @throws {RuntimeError} as without a schema; `validation_error` if the schema produces no JSON Schema.
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
   * @throws {RuntimeError} if the run could not be started: `validation_error`, `not_found`, `model_not_configured`,
   * `conflict`, `closed`.
   */
  run(request: RunRequest, options?: RunOptions): Promise<RunResult>
  /**
   * Runs an agent, yields its events as they happen, and returns data with the type of a schema.
   *
   * @throws {RuntimeError} as {@link run}
   */
  stream<Output>(request: TypedRunRequest<Output>, options?: StreamOptions): Promise<TypedRunStream<Output>>
  /** Runs an agent and yields its events as they happen. @throws {RuntimeError} as {@link run} */
  stream(request: RunRequest, options?: StreamOptions): Promise<RunStream>
  /**
   * Resumes work of an earlier process, and starts to run tasks and schedules, deliver channel answers and poll
   * messaging platforms.
   *
   * Without this call, a runtime resumes earlier work at its first call, runs tasks from the first new task on,
   * delivers answers from the first received message on, runs no schedules and polls no platforms.
   */
  start(): Promise<void>
  /**
   * Stops all work, waits for it to end, and closes files and child processes. With a durable store nothing is lost:
   * runs and tasks resume at the next start or in another process. Can be called twice.
   */
  close(): Promise<void>
  /** The same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}
