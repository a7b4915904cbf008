import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { DocumentSource, Json, JsonObject } from '@homeward/contract/agent-platform'
import type { RunContext } from './run-context.ts'
import type { ToolContent } from './tool-content.ts'

/** Facts for the decision whether a call needs a person's approval. */
export interface ApprovalContext<Context = unknown> extends RunContext<Context> {
  /** Whether the run has read untrusted content. */
  readonly tainted: boolean
  /** Number of agents above this one: 0 for a run that a person started. */
  readonly depth: number
  /** Aborts when the run is canceled or its time limit is reached. */
  readonly signal: AbortSignal
}

/** A question of a tool to a person. */
export interface Question<Schema extends StandardSchemaV1 | JsonObject = StandardSchemaV1 | JsonObject> {
  /** Text for the person, at most 10,000 characters. */
  readonly message: string
  /** Schema of the answer: a Standard Schema, or a JSON Schema. @default a string */
  readonly schema?: Schema
  /** Distinguishes this question from others of the same call. @default its index among them */
  readonly key?: string
}

/** Type of the answer for a schema: the output of a Standard Schema, else JSON. */
export type AnswerTo<Schema> = Schema extends StandardSchemaV1 ? StandardSchemaV1.InferOutput<Schema> : Json

/** Facts about the run for a tool call. */
export interface ToolContext<Context = unknown> extends ApprovalContext<Context> {
  /** Key that is the same for every retry of this call. */
  readonly idempotencyKey: string
  /** Absolute path of the agent's workspace folder, which exists. */
  readonly workspace: string
  /**
   * Reports progress of this call to people, in the run's stream as `tool_progress` and on the pages. The model does
   * not read it.
   *
   * Each report is cut to 1,000 characters. Reports above five per second or 1,000 in total are dropped.
   */
  progress(text: string): void
  /**
   * Shows data on the client's page. `useChat` of the AI SDK receives it as a `data-<name>` part.
   *
   * The model does not read it, and secrets known to the runtime are removed. Calls after the tool has ended have no
   * effect.
   *
   * @param name letters, digits, `_` and `-`
   * @param data any JSON, at most 65,536 characters
   * @throws {TypeError} for another name, for larger data and for values that are not JSON
   * @example
   * context.writeData('weather', { city: 'Paris', celsius: 21 })
   */
  writeData(name: string, data: unknown, options?: DataOptions): void
  /**
   * Asks a person and returns the answer.
   *
   * The run stops and waits, for days if necessary. After the answer, `execute` starts again from its beginning, and
   * this call returns the stored answer at once. Earlier effects are repeated, so ask first.
   *
   * @throws {Unanswered} if the person declined or nobody answered in time
   * @example
   * ```ts
   * import { defineTool } from '@homeward/agent-runtime'
   * import * as z from 'zod'
   *
   * const order = defineTool({
   *   id: 'order_shirt',
   *   description: 'Orders a shirt.',
   *   inputSchema: z.object({}),
   *   effects: 'external',
   *   returnsUntrustedContent: false,
   *   async execute(_, { ask }) {
   *     const size = await ask({ message: 'Which size?', schema: z.enum(['S', 'M', 'L']) })
   *     return { ordered: size }
   *   },
   * })
   * console.log(order.id)
   * ```
   */
  ask<Schema extends StandardSchemaV1 | JsonObject = JsonObject>(
    question: Question<Schema>,
  ): Promise<AnswerTo<Schema>>
}

/** The call that {@link Tool.verify} or {@link Tool.undo} is about, and its run. */
export interface EffectContext<Context = unknown> extends RunContext<Context> {
  /** The key that `execute` received for this call. */
  readonly idempotencyKey: string
  /** Aborts when the run is canceled, or the time limit of the tool is reached. */
  readonly signal: AbortSignal
}

/** Whether a call took effect, and its result if it did. */
export type Verification<Result = Json | ToolContent> =
  | { readonly happened: true; readonly result: Result }
  | { readonly happened: false }
  | { readonly happened: 'unknown' }

/** Options of {@link ToolContext.writeData}. */
export interface DataOptions {
  /** Data with the same name and id replaces the earlier data. @default each is a part of its own */
  readonly id?: string
  /** Whether the data is only shown to pages that are open, and not stored. @default false */
  readonly transient?: boolean
}

/**
 * Whether a call needs a person's approval.
 *
 * - `true`: a person has to approve it.
 * - `'deny'`: the call is rejected.
 * - `false`: the tool needs no approval, but the agent's rules still can. An external call of a run that has read
 *   untrusted content always needs one.
 */
export type ToolApproval = boolean | 'deny'

/**
 * Effects of a call.
 *
 * `read`: nothing. `write`: the workspace and the agent's memory. `external`: anything else.
 */
export type ToolEffects = 'read' | 'write' | 'external'

/** All of them. */
export const toolEffects: readonly ToolEffects[] = ['read', 'write', 'external']

/** A tool that a model can call. `defineTool` creates one from a schema of zod, Valibot or ArkType. */
export interface Tool<Context = unknown> {
  /** Unique id among all tools, used by models, approvals and events. */
  readonly id: string
  readonly description: string
  /**
   * JSON Schema of the arguments, which must describe an object: written by hand, or from `z.toJSONSchema(schema, {
   * io: 'input' })`. Invalid arguments never reach `execute`.
   */
  readonly inputSchema: Readonly<Record<string, unknown>>
  /**
   * Validates arguments instead of {@link inputSchema}, which then only describes them to the model.
   *
   * @returns the problem, for the model; undefined if the arguments are valid @default validated against
   * `inputSchema`
   */
  validate?(args: JsonObject): Promise<string | undefined>
  readonly effects: ToolEffects
  /**
   * Whether a second call with the same arguments and idempotency key has no further effect.
   *
   * After a crash, such a call is repeated. Any other call that may have happened stops the run with
   * `effect_uncertain`.
   *
   * @default true for `effects: 'read'`, otherwise false
   */
  readonly idempotent?: boolean
  /**
   * Whether results may contain text from outside, such as web pages or mail. A function decides for each result.
   * External calls of a run that has read such content need an approval.
   */
  readonly returnsUntrustedContent: boolean | ((result: Json) => boolean)
  /**
   * Returns the passages of documents that a result is based on. They are shown as sources of the answer.
   *
   * @default no sources
   */
  sourcesOf?(result: Json): readonly DocumentSource[]
  /** Time limit of a call, in milliseconds. @default the rest of the run's time */
  readonly timeoutMs?: number
  /**
   * Whether an aborted call settles soon, after everything that it started has ended, such as a program. The run then
   * waits for it before it continues or ends.
   *
   * @default false: the run does not wait for an aborted call
   */
  readonly settlesOnAbort?: boolean
  /**
   * Decides whether a call needs a person's approval.
   *
   * Called with valid arguments before each call, and again after an approval; then only `'deny'` counts. The
   * strictest of this result and the agent's rules applies. An error counts as `true`.
   *
   * @default false
   */
  needsApproval?(args: JsonObject, context: ApprovalContext<Context>): ToolApproval | Promise<ToolApproval>
  /**
   * Runs the tool.
   *
   * @returns the result for the model: any JSON, or {@link ToolContent} with files.
   * @throws {Error} whose message the model reads, so it must not contain secrets.
   */
  execute(args: JsonObject, context: ToolContext<Context>): Promise<Json | ToolContent>
  /**
   * Finds out whether a call took effect.
   *
   * Called if the process ended between a call and the record of its result, unless the tool is idempotent. Happened:
   * `result` is recorded as the result of the call. Not happened: the call is repeated with the same key. Unknown, or
   * an error, or no answer within {@link timeoutMs}: the run stops with `effect_uncertain`.
   *
   * @default unknown
   */
  verify?(args: JsonObject, context: EffectContext<Context>): Promise<Verification>
  /**
   * Undoes a call, when a person or program requests to undo its run.
   *
   * After a crash, it is called again with the same key, so a second call must have no further effect.
   *
   * @param result the stored result: JSON, without secrets, and cut if it was too long
   * @returns any JSON, for people
   * @throws {Error} whose message is the reason why the call cannot be undone, without secrets @default the call
   * cannot be undone
   */
  undo?(args: JsonObject, result: Json, context: EffectContext<Context>): Promise<unknown>
}

/** Whether a call that may have happened can be repeated: see {@link Tool.idempotent}. */
export const isIdempotent = ({ idempotent, effects }: Pick<Tool, 'idempotent' | 'effects'>): boolean =>
  idempotent ?? effects === 'read'

/** A source of tools in addition to skills and the built-in tools, such as an MCP client or your app's own code. */
export interface ToolSource<Context = unknown> {
  /**
   * Returns the tools for one run of an agent. Called at the start of the run, and again in each process that resumes
   * it. The same run must get the same tools.
   */
  toolsFor(agentId: string, signal: AbortSignal, run: RunContext<Context>): Promise<readonly Tool<Context>[]>
}
