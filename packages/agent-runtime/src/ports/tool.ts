import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { DocumentSource, Json, JsonObject } from '@homeward/contract/agent-platform'
import type { RunContext } from './run-context.ts'
import type { ToolContent } from './tool-content.ts'

/** Facts for the decision whether a call needs a person's approval. */
export interface ApprovalContext<Context = unknown> extends RunContext<Context> {
  /** Whether the run has read content of a stranger. */
  readonly tainted: boolean
  /** Agents above this one: 0 for a run that a person started. */
  readonly depth: number
  /** Aborts when the run is canceled or its time is over. */
  readonly signal: AbortSignal
}

/** What a tool asks a person. */
export interface Question<Schema extends StandardSchemaV1 | JsonObject = StandardSchemaV1 | JsonObject> {
  /** What the person reads. At most 10,000 characters. */
  readonly message: string
  /** Of the answer: a Standard Schema, or a JSON Schema. @default a text */
  readonly schema?: Schema
  /** Tells this question from others of the same call. @default its place among them */
  readonly key?: string
}

/** What an answer is for a schema: what a Standard Schema makes of it, else JSON. */
export type AnswerTo<Schema> = Schema extends StandardSchemaV1 ? StandardSchemaV1.InferOutput<Schema> : Json

/** Facts about the run for a tool call. */
export interface ToolContext<Context = unknown> extends ApprovalContext<Context> {
  /** The same for every retry of this very call. */
  readonly idempotencyKey: string
  /** Absolute path of the agent's workspace folder; it exists. */
  readonly workspace: string
  /**
   * Reports progress of this call to people: in the run's stream as `tool_progress`, and on the pages. The model does not read it.
   * At most 1,000 characters are shown, and at most five reports a second and 1,000 in all; others are left out.
   */
  progress(text: string): void
  /**
   * Shows data on the page of the caller: `useChat` of the AI SDK gets it as a `data-<name>` part. The model does not read it, and it
   * contains no secrets that the runtime knows. Calls after the tool has ended have no effect.
   *
   * @param name letters, digits, `_` and `-`
   * @param data any JSON, at most 65,536 characters
   * @throws {TypeError} for another name, for larger data and for values that are not JSON
   * @example
   * context.writeData('weather', { city: 'Paris', celsius: 21 })
   */
  writeData(name: string, data: unknown, options?: DataOptions): void
  /**
   * Asks a person and gives the answer. The run stops and waits, for days if need be; after the answer, `execute` runs again from
   * its start, and this gives the stored answer at once. Effects before it happen again, so ask first.
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
  /** The key that `execute` got for this call. */
  readonly idempotencyKey: string
  /** Aborts when the run is canceled, or when the time of the tool is over. */
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
 * Whether a call needs a person's approval (A20). `true`: a person has to approve it. `'deny'`: the call is not made. `false`: the
 * tool asks for nothing, but the agent's rules still can. An external call of a run that has read untrusted content always asks.
 */
export type ToolApproval = boolean | 'deny'

/** What a call changes. `read`: nothing. `write`: the workspace and the agent's memory. `external`: anything else. */
export type ToolEffects = 'read' | 'write' | 'external'

/** All of them. */
export const toolEffects: readonly ToolEffects[] = ['read', 'write', 'external']

/** Something a model can call. `defineTool` makes one of a schema of zod, Valibot or ArkType. */
export interface Tool<Context = unknown> {
  /** Unique among all tools; what models, people, approvals and events know it by. */
  readonly id: string
  readonly description: string
  /**
   * JSON Schema of the arguments: an object, as one is written, or as `z.toJSONSchema(schema, { io: 'input' })` gives it.
   * Arguments that do not match never reach `execute`.
   */
  readonly inputSchema: Readonly<Record<string, unknown>>
  /**
   * Checks arguments in place of {@link inputSchema}, which then only describe them to the model.
   *
   * @returns what is wrong, for the model; undefined if the arguments are valid
   * @default checked against `inputSchema`
   */
  validate?(args: JsonObject): Promise<string | undefined>
  readonly effects: ToolEffects
  /**
   * Whether a second call with the same arguments and idempotency key has no further effect. After a crash, such a call is
   * repeated. Any other call that may have happened stops the run with `effect_uncertain` (A8).
   *
   * @default true for `effects: 'read'`, otherwise false
   */
  readonly idempotent?: boolean
  /** Whether results may contain content that a stranger wrote (A20). A function decides for each result. */
  readonly returnsUntrustedContent: boolean | ((result: Json) => boolean)
  /**
   * Passages of documents that a result rests on. They are shown as sources of the answer.
   *
   * @default none
   */
  sourcesOf?(result: Json): readonly DocumentSource[]
  /** Longest a call may take, in milliseconds. @default the rest of the run's time */
  readonly timeoutMs?: number
  /**
   * Whether an aborted call settles soon, and not before everything that it started has ended, such as a program. The run
   * then waits for it before it goes on or ends. @default false: an aborted call is not waited for
   */
  readonly settlesOnAbort?: boolean
  /**
   * Decides whether a call needs a person's approval. Called with valid arguments before each call, and again once a person has
   * approved it, when only `'deny'` counts. The strictest of this and the agent's rules applies. A failure counts as `true`.
   *
   * @default false
   */
  needsApproval?(args: JsonObject, context: ApprovalContext<Context>): ToolApproval | Promise<ToolApproval>
  /**
   * @returns the result for the model: any JSON, or {@link ToolContent} with files.
   * @throws {Error} whose message the model may read: no secret in it.
   */
  execute(args: JsonObject, context: ToolContext<Context>): Promise<Json | ToolContent>
  /**
   * Finds out whether a call took effect. It is called when the process ended between a call and the record of its result, unless the
   * tool is idempotent. Happened: `result` is recorded as the result of the call. Not happened: the call is made again, with the same
   * key. Unknown, and also a failure or no answer within {@link timeoutMs}: the run stops with `effect_uncertain`.
   *
   * @default unknown
   */
  verify?(args: JsonObject, context: EffectContext<Context>): Promise<Verification>
  /**
   * Takes a call back, when a person or a program asks to undo its run. After a crash it is called again with the same key, so a second
   * call must have no further effect.
   *
   * @param result the result as it is stored: JSON, without secrets, and cut if it was too long
   * @returns anything that JSON can hold, for people
   * @throws {Error} whose message says why the call cannot be undone: no secret in it
   * @default the call cannot be undone
   */
  undo?(args: JsonObject, result: Json, context: EffectContext<Context>): Promise<unknown>
}

/** Whether a call that may have happened can be repeated: see {@link Tool.idempotent}. */
export const isIdempotent = ({ idempotent, effects }: Pick<Tool, 'idempotent' | 'effects'>): boolean =>
  idempotent ?? effects === 'read'

/** A source of tools in addition to skills and the built-in tools, such as an MCP client or your app's own code. */
export interface ToolSource<Context = unknown> {
  /**
   * Gives the tools for one run of an agent. It is called at the start of the run, and again in each process that resumes it: the
   * same run must get the same tools.
   */
  toolsFor(agentId: string, signal: AbortSignal, run: RunContext<Context>): Promise<readonly Tool<Context>[]>
}
