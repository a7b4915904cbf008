import type {
  JournalEvent,
  Run,
  RunEvent,
  RunRequest,
  RunResult,
  RunStatus,
} from '@homeward/contract/agent-platform'
import type { EventEmitter } from 'eventemitter3'
import type { Agents } from './agents/agents.ts'
import type { Conversations } from './conversations/conversations.ts'
import type { RuntimeEvents } from './journal/runtime-events.ts'
import type { Memories } from './memory/memories.ts'
import type { Runs } from './runs/runs.ts'
import type { RuntimeSettings } from './settings/runtime-settings.ts'
import type { SkillLibrary } from './skills/skill-library.ts'

/** How a run is started from a host's code. */
export interface RunOptions {
  /** Cancels the run when it aborts: the model call, the tools and their child processes stop. */
  readonly signal?: AbortSignal
  /** Longest the run may take, in milliseconds. Narrows `limits.max_runtime` (A5). */
  readonly maxRuntimeMs?: number
}

/** A run under way. */
export interface RunStream {
  readonly runId: string
  readonly conversationId: string
  /** What happens, from the first event to `done` or `error`. Leaving the loop does not stop the run. */
  readonly events: AsyncIterable<RunEvent>
  /** How the run ended or where it waits. Never rejects for a failed run. */
  readonly result: Promise<RunResult>
}

/** Which runs. Absent fields match everything. */
export interface RunQuery {
  readonly agentId?: string | undefined
  readonly conversationId?: string | undefined
  readonly status?: RunStatus | undefined
  /** 1 to 500. @default 100 */
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** Runs, with a list of them. */
export interface RuntimeRuns extends Omit<Runs, 'close'> {
  /** Newest first. */
  list(
    query?: RunQuery,
    signal?: AbortSignal,
  ): Promise<{ readonly runs: Run[]; readonly nextCursor?: string }>
}

/** Which events of the journal. */
export interface LogQuery {
  readonly type?: string | undefined
  readonly runId?: string | undefined
  /** Only events behind this number, oldest first. Without it the newest, in the order they happened. */
  readonly since?: number | undefined
  /** 1 to 1000. @default 100 */
  readonly limit?: number | undefined
}

/** The journal, for reading (A14). */
export interface Logs {
  /** In the order they happened. */
  list(query?: LogQuery, signal?: AbortSignal): Promise<JournalEvent[]>
}

/** Agents and everything they need, inside a host's program: see `createRuntime`. */
export interface AgentRuntime {
  readonly agents: Agents
  readonly runs: RuntimeRuns
  readonly conversations: Conversations
  readonly memory: Memories
  readonly skills: SkillLibrary
  readonly settings: RuntimeSettings
  readonly logs: Logs
  /** Facts as they happen. */
  readonly events: EventEmitter<RuntimeEvents>
  /**
   * Runs an agent and gives what came of it. A run that fails is a result too: see `success`, `error` and `code`.
   *
   * @throws {RuntimeError} when the run could not be started: `validation_error`, `not_found`, `model_not_configured`,
   *   `conflict`, `closed`.
   */
  run(request: RunRequest, options?: RunOptions): Promise<RunResult>
  /** Runs an agent and gives its events as they happen. @throws {RuntimeError} as {@link run} */
  stream(request: RunRequest, options?: RunOptions): Promise<RunStream>
  /** Stops what is under way, waits for it, and lets go of files and child processes. Safe to call twice. */
  close(): Promise<void>
  /** The same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}
