import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import type { FileReference } from './file.ts'
import type { SourcePart } from './message.ts'
import type { RunContext } from './run-context.ts'

/** Facts about the run that a guard checks. */
export interface GuardContext<Context = unknown> extends RunContext<Context> {
  /** Agents above this one: 0 for a run that a person, a task or a graph started. */
  readonly depth: number
  /** Whether the run has read content of a stranger. */
  readonly tainted: boolean
  /** The same each time this value is checked, also after a restart. */
  readonly idempotencyKey: string
  /** Aborts when the run ends, and when the guard takes longer than its time. */
  readonly signal: AbortSignal
}

/**
 * What a guard decides: `'allow'` passes the value on, `replace` puts another value in its place, `refuse` stops it and
 * says why. Anything else counts as a guard that failed, and nothing passes. TypeScript takes the `'allow'` of an async function
 * with no other result for any string: write `'allow' as const` there.
 */
export type GuardDecision<Replacement> =
  | 'allow'
  | { readonly replace: Replacement }
  /** Read by the caller, and of a tool call by the model: no secret in it. At most 1,000 characters, the rest is cut. */
  | { readonly refuse: string }

/**
 * Checks one value of a run. It may be asked about the same value again after a crash, so it must not count on being called
 * once. It gets a copy: what it changes there has no effect.
 */
export type Guard<Value, Replacement, Context = unknown> = (
  value: Value,
  context: GuardContext<Context>,
) => GuardDecision<Replacement> | Promise<GuardDecision<Replacement>>

/** Text from a caller. */
export interface GuardedInput {
  readonly text: string
  /**
   * `task`: the task, `message`: an earlier user message that the request brings along, `instructions`: additional
   * instructions of the caller. A `message` that is refused is replaced by a note; the others fail the run.
   */
  readonly kind: 'task' | 'message' | 'instructions'
  /** Files of the task or message, without their bytes. */
  readonly files: readonly FileReference[]
}

/** A tool call that the model asked for. Its arguments match the tool's schema. */
export interface GuardedToolCall {
  readonly tool: string
  readonly args: JsonObject
}

/** How a tool call ended: `result` or `error` is present. */
export interface GuardedToolResult {
  readonly tool: string
  /** The arguments that the call was made with. */
  readonly args: JsonObject
  readonly result?: Json
  readonly error?: string
  /** Files that the result refers to, without their bytes. */
  readonly files: readonly FileReference[]
}

/** Answer of the model in one turn: the final answer, or text before tool calls. */
export interface GuardedOutput {
  readonly text: string
  /** The data of the text. Present if the run has an output schema and the text matches it. */
  readonly data?: Json
  /** Whether the model asks for no tool call after it. */
  readonly isFinal: boolean
  readonly sources: readonly Pick<SourcePart, 'url' | 'title'>[]
  /** Files that the model made, without their bytes. */
  readonly files: readonly FileReference[]
}

/** Checks text that comes in. It replaces the text. */
export type InputGuard<Context = unknown> = Guard<GuardedInput, string, Context>
/** Checks tool calls before they are made. It replaces the arguments. */
export type ToolCallGuard<Context = unknown> = Guard<GuardedToolCall, JsonObject, Context>
/** Checks results before the model and the caller get them. It replaces the result, or makes it an error. */
export type ToolResultGuard<Context = unknown> = Guard<
  GuardedToolResult,
  | { readonly result: Json; readonly error?: undefined }
  | { readonly error: string; readonly result?: undefined },
  Context
>
/**
 * Checks answers before anybody gets them. It replaces the text, or the data of a structured output; each follows from the
 * other. The replacement must match the output schema.
 */
export type OutputGuard<Context = unknown> = Guard<
  GuardedOutput,
  { readonly text: string; readonly data?: undefined } | { readonly data: Json; readonly text?: undefined },
  Context
>

/**
 * One guard, or several guards that run in order. Each gets the value that the previous guard returned, and the first
 * refusal counts.
 */
export type MaybeArray<Each> = Each | readonly Each[]

/**
 * Checks the inputs and outputs of each run of the runtime, including runs of tasks, graphs, channels and sub-agents. If a
 * guard throws, takes too long or returns an invalid decision, nothing passes.
 */
export interface Guards<Context = unknown> {
  /** Before the first model call. A refusal fails the run with `guard_refused`, and no tool is called. @default none */
  readonly input?: MaybeArray<InputGuard<Context>>
  /** Checks each call before approvals, and before any call of the turn is made. The model reads a rejection. @default none */
  readonly toolCall?: MaybeArray<ToolCallGuard<Context>>
  /** After the call. The model reads the refusal in place of the result. @default none */
  readonly toolResult?: MaybeArray<ToolResultGuard<Context>>
  /**
   * After each answer of the model. With it, the stream holds an answer back until it was checked, and shows no
   * reasoning. A refusal fails the run with `guard_refused`. @default none: nothing is held back
   */
  readonly output?: MaybeArray<OutputGuard<Context>>
  /** Milliseconds that one guard may take for one value. @default 10000 */
  readonly timeoutMs?: number
}
