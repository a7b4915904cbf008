import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import type { FileReference } from './file.ts'
import type { SourcePart } from './message.ts'
import type { RunContext } from './run-context.ts'

/** Facts about the checked run. */
export interface GuardContext<Context = unknown> extends RunContext<Context> {
  /** Number of agents above this one: 0 for a run that a person, a task or a graph started. */
  readonly depth: number
  /** Whether the run has read untrusted content. */
  readonly tainted: boolean
  /** Key that is the same each time this value is checked, also after a restart. */
  readonly idempotencyKey: string
  /** Aborts when the run ends, or the guard exceeds its time limit. */
  readonly signal: AbortSignal
}

/**
 * Decision of a guard.
 *
 * `'allow'` passes the value on, `replace` passes another value, `refuse` stops it with a reason. Any other result
 * counts as a failed guard, and nothing passes. If an async function has no other result, TypeScript widens `'allow'`
 * to a string: write `'allow' as const`.
 */
export type GuardDecision<Replacement> =
  | 'allow'
  | { readonly replace: Replacement }
  /** Read by the caller, and of a tool call by the model: no secret in it. At most 1,000 characters, the rest is cut. */
  | { readonly refuse: string }

/**
 * Checks one value of a run.
 *
 * It may be called again for the same value after a crash, so it must not rely on being called once. It receives a
 * copy, so changing the copy has no effect.
 */
export type Guard<Value, Replacement, Context = unknown> = (
  value: Value,
  context: GuardContext<Context>,
) => GuardDecision<Replacement> | Promise<GuardDecision<Replacement>>

/** Text from a caller, to be checked. */
export interface GuardedInput {
  readonly text: string
  /**
   * `task`: the task. `message`: an earlier user message of the request. `instructions`: additional instructions of
   * the caller. A rejected `message` is replaced by a note; a rejection of the others fails the run.
   */
  readonly kind: 'task' | 'message' | 'instructions'
  /** Files of the task or message, without their bytes. */
  readonly files: readonly FileReference[]
}

/** A tool call of the model. Its arguments match the tool's schema. */
export interface GuardedToolCall {
  readonly tool: string
  readonly args: JsonObject
}

/** Outcome of a tool call, with either `result` or `error`. */
export interface GuardedToolResult {
  readonly tool: string
  /** Arguments of the call. */
  readonly args: JsonObject
  readonly result?: Json
  readonly error?: string
  /** Files of the result, without their bytes. */
  readonly files: readonly FileReference[]
}

/** Answer of the model in one turn: the final answer, or text before tool calls. */
export interface GuardedOutput {
  readonly text: string
  /** Structured output. Present if the run has an output schema and the text matches it. */
  readonly data?: Json
  /** Whether no tool call follows. */
  readonly isFinal: boolean
  readonly sources: readonly Pick<SourcePart, 'url' | 'title'>[]
  /** Files that the model created, without their bytes. */
  readonly files: readonly FileReference[]
}

/** Checks text from a caller. Can replace the text. */
export type InputGuard<Context = unknown> = Guard<GuardedInput, string, Context>
/** Checks tool calls before they are made. Can replace the arguments. */
export type ToolCallGuard<Context = unknown> = Guard<GuardedToolCall, JsonObject, Context>
/** Checks results before the model and the caller receive them. Can replace the result, or turn it into an error. */
export type ToolResultGuard<Context = unknown> = Guard<
  GuardedToolResult,
  | { readonly result: Json; readonly error?: undefined }
  | { readonly error: string; readonly result?: undefined },
  Context
>
/**
 * Checks answers before anybody receives them. Can replace the text or the data of a structured output; each follows
 * from the other. The replacement must match the output schema.
 */
export type OutputGuard<Context = unknown> = Guard<
  GuardedOutput,
  { readonly text: string; readonly data?: undefined } | { readonly data: Json; readonly text?: undefined },
  Context
>

/**
 * One guard, or several guards that run in order. Each receives the value that the previous guard returned, and the
 * first rejection counts.
 */
export type MaybeArray<Each> = Each | readonly Each[]

/**
 * Checks the inputs and outputs of each run of the runtime, including runs of tasks, graphs, channels and sub-agents.
 * If a guard throws, takes too long or returns an invalid decision, nothing passes.
 */
export interface Guards<Context = unknown> {
  /**
   * Checks the input before the first model call. A rejection fails the run with `guard_refused`, and no tool is
   * called.
   *
   * @default no check
   */
  readonly input?: MaybeArray<InputGuard<Context>>
  /**
   * Checks each call before approvals, and before any call of the turn is made. The model receives the rejection.
   *
   * @default no check
   */
  readonly toolCall?: MaybeArray<ToolCallGuard<Context>>
  /** Checks each result after the call. The model receives the rejection instead of the result. @default no check */
  readonly toolResult?: MaybeArray<ToolResultGuard<Context>>
  /**
   * Checks each answer of the model. The stream then sends an answer only after its check, and no reasoning. A
   * rejection fails the run with `guard_refused`.
   *
   * @default no check: answers are streamed at once
   */
  readonly output?: MaybeArray<OutputGuard<Context>>
  /** Time limit of one guard for one value, in milliseconds. @default 10000 */
  readonly timeoutMs?: number
}
