import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { JsonObject } from '@homeward/contract/agent-platform'
import {
  describeIssues,
  parserOf,
  readJsonSchema,
  standardOf,
  type ParseValue,
} from '../host-input/standard-schema.ts'
import { copyJson } from '../json/to-json.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import type {
  ApprovalContext,
  EffectContext,
  Tool,
  ToolApproval,
  ToolContext,
  Verification,
} from '../ports/tool.ts'
import { toolProblem } from './check-tools.ts'

type UnknownSchema = StandardSchemaV1<unknown, unknown>

/** A tool with the types of its arguments and result: see `InferUITools`. */
export type TypedTool<Id extends string, Input, Output, Context = unknown> = Tool<Context> & {
  readonly id: Id
  /** Carries types only; never has a value. */
  readonly '~types'?: { readonly input: Input; readonly output: Output }
}

/** Definition of a tool with schemas for its arguments and result. See {@link Tool} for the other fields. */
export interface TypedToolDefinition<
  Input extends StandardSchemaV1,
  Output extends StandardSchemaV1 = UnknownSchema,
  Context = unknown,
  Result = StandardSchemaV1.InferInput<Output>,
> extends Omit<Tool, 'inputSchema' | 'validate' | 'needsApproval' | 'execute' | 'verify' | 'undo'> {
  /**
   * Schema of the arguments: zod 4, ArkType, or another library with Standard Schema. It must describe an object.
   *
   * The model receives its JSON Schema. The schema parses the arguments of each call once, so its defaults and
   * transformations apply.
   */
  readonly inputSchema: Input
  /**
   * JSON Schema of the arguments, for a library that does not produce one: zod/mini, or Valibot without
   * `toStandardJsonSchema`.
   *
   * @default the JSON Schema of `inputSchema`
   */
  readonly inputJsonSchema?: Tool['inputSchema']
  /** Schema of the result, which it parses before the model reads it. @default any JSON */
  readonly outputSchema?: Output
  /** Decides whether a call needs a person's approval: see {@link Tool.needsApproval}. @default false */
  needsApproval?(
    args: StandardSchemaV1.InferOutput<Input>,
    context: ApprovalContext<Context>,
  ): ToolApproval | Promise<ToolApproval>
  /**
   * Runs the tool.
   *
   * @returns the result for the model: any JSON, or `ToolContent` with files. `undefined` becomes `null`.
   * @throws {Error} whose message the model reads, so it must not contain secrets.
   */
  execute(
    args: StandardSchemaV1.InferOutput<Input>,
    context: ToolContext<Context>,
  ): (Result & StandardSchemaV1.InferInput<Output>) | Promise<Result & StandardSchemaV1.InferInput<Output>>
  /**
   * Finds out whether a call took effect: see {@link Tool.verify}. `result` must be the result that `execute` would
   * have returned.
   *
   * @default unknown
   */
  verify?(
    args: StandardSchemaV1.InferOutput<Input>,
    context: EffectContext<Context>,
  ): MaybePromise<Verification<NoInfer<Result & StandardSchemaV1.InferInput<Output>>>>
  /** Undoes a call: see {@link Tool.undo}. @default the call cannot be undone */
  undo?(
    args: StandardSchemaV1.InferOutput<Input>,
    result: NoInfer<ResultOf<Output, Result>>,
    context: EffectContext<Context>,
  ): unknown
}

type MaybePromise<Value> = Value | Promise<Value>

/** The type of a result: that of its schema, or else what `execute` returns. */
type ResultOf<Output extends StandardSchemaV1, Result> =
  unknown extends StandardSchemaV1.InferOutput<Output> ? Result : StandardSchemaV1.InferOutput<Output>

/**
 * Creates a tool from schemas, with typed arguments and results.
 *
 * @throws {RuntimeError} `validation_error` if a field is missing or invalid, or `inputSchema` does not produce a
 * JSON Schema of an object.
 * @example
 * ```ts
 * import { defineTool } from '@homeward/agent-runtime'
 * import * as z from 'zod'
 *
 * const refund = defineTool({
 *   id: 'refund',
 *   description: 'Refunds an order.',
 *   inputSchema: z.object({ orderId: z.string(), amount: z.number() }),
 *   effects: 'external',
 *   idempotent: false,
 *   returnsUntrustedContent: false,
 *   needsApproval: ({ amount }) => amount > 100,
 *   execute: async ({ orderId, amount }) => ({ orderId, refunded: amount }),
 * })
 * console.log(refund.id)
 * ```
 */
export function defineTool<
  Input extends StandardSchemaV1,
  Output extends StandardSchemaV1 = UnknownSchema,
  Context = unknown,
  const Id extends string = string,
  Result = StandardSchemaV1.InferInput<Output>,
>(
  definition: TypedToolDefinition<Input, Output, Context, Result> & { readonly id: Id },
): TypedTool<Id, StandardSchemaV1.InferInput<Input>, ResultOf<Output, Result>, Context> {
  const { inputSchema, outputSchema, inputJsonSchema, needsApproval, execute, verify, undo, ...head } =
    definition
  const id: unknown = head.id // an app without types may leave it out
  const attempt = `Defining the tool "${String(id).slice(0, 100)}"`
  const parse = createParser(toParser(attempt, 'inputSchema', inputSchema))
  const parseResult = outputSchema && toParser(attempt, 'outputSchema', outputSchema)
  const tool: Tool<Context> & { readonly id: Id } = {
    ...head,
    inputSchema: inputJsonSchema ?? toParameters(attempt, inputSchema),
    validate: async (args) => (await parse(args)).problem,
    ...(definition.needsApproval && {
      needsApproval: async (args, context) =>
        definition.needsApproval?.(await parsed(args), context) ?? false,
    }),
    execute: async (args, context) => toResult(await definition.execute(await parsed(args), context)),
    ...(verify && {
      async verify(args, context) {
        const found = (await definition.verify?.(await parsed(args), context)) ?? unknown
        return found.happened === true ? { happened: true, result: await toResult(found.result) } : found
      },
    }),
    ...(undo && {
      undo: async (args, result, context) =>
        // what the tool has returned, as JSON
        definition.undo?.(await parsed(args), result as ResultOf<Output, Result>, context),
    }),
  }
  // only what kind of value each field is
  const problem = toolProblem({ ...tool, ...({ needsApproval, execute, verify, undo } as Partial<Tool>) })
  if (problem !== undefined)
    throw new RuntimeError('validation_error', `${attempt} failed: ${problem.replace(/^\./, '"')}.`)
  return tool

  async function parsed(args: JsonObject): Promise<StandardSchemaV1.InferOutput<Input>> {
    const { value, problem: fault } = await parse(args)
    if (fault !== undefined) throw new Error(`The arguments do not match the parameters: ${fault}`)
    return value
  }

  /** Whatever is not JSON becomes JSON where the result is stored. */
  async function toResult(made: unknown): ReturnType<Tool['execute']> {
    return (parseResult ? await checkResult(parseResult, made) : (made ?? null)) as Awaited<
      ReturnType<Tool['execute']>
    >
  }
}

const unknown = { happened: 'unknown' } as const

interface Parsed {
  readonly value?: unknown
  readonly problem?: string
}

/** Parses each object of arguments once (D28), so that a transformation runs once for a check, an approval and a call. */
function createParser(parseValue: ParseValue): (args: JsonObject) => Promise<Parsed> {
  const known = new WeakMap<JsonObject, Promise<Parsed>>()
  const parse = async (args: JsonObject): Promise<Parsed> => {
    // a copy, as a schema may pass its input on, and a tool may change what it gets
    const outcome = await parseValue(copyJson(args))
    return outcome.issues
      ? { problem: describeIssues(outcome.issues, 'the arguments') }
      : { value: outcome.value }
  }
  return (args) => {
    const before = known.get(args)
    if (before) return before
    const parsing = parse(args)
    known.set(args, parsing)
    return parsing
  }
}

async function checkResult(parse: ParseValue, made: unknown): Promise<unknown> {
  const outcome = await parse(made)
  if (!outcome.issues) return outcome.value ?? null
  const problem = describeIssues(outcome.issues, 'the result')
  throw new Error(`The call was made, but its result does not match "outputSchema": ${problem}`)
}

function toParser(
  attempt: string,
  name: 'inputSchema' | 'outputSchema',
  schema: StandardSchemaV1,
): ParseValue {
  if (standardOf(schema)) return parserOf(schema)
  const problem = `"${name}" must be a Standard Schema, such as z.object() of zod 4`
  throw new RuntimeError('validation_error', `${attempt} failed: ${problem}.`)
}

/** The schema that the model gets. Providers want an object, also where the alternatives of a union say so already. */
function toParameters(attempt: string, input: StandardSchemaV1): JsonObject {
  const fail = (problem: string, cause?: unknown) =>
    new RuntimeError('validation_error', `${attempt} failed: ${problem}`, { cause })
  let schema: JsonObject | undefined
  try {
    schema = readJsonSchema(input['~standard'])
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'unknown'
    throw fail(
      `"inputSchema" cannot be converted to JSON Schema: ${reason}. Use only types that JSON has.`,
      cause,
    )
  }
  if (schema === undefined)
    throw fail(`"inputSchema" cannot be converted to JSON Schema. ${remedyFor(input['~standard'].vendor)}`)
  const { $schema: _, ...rest } = schema
  if (rest['type'] === 'object') return rest
  const isUnion = rest['type'] === undefined && ['anyOf', 'oneOf', 'allOf'].some((word) => word in rest)
  if (!isUnion) throw fail('"inputSchema" must describe an object. Put the value into a field of an object.')
  return { type: 'object', ...rest }
}

function remedyFor(vendor: string): string {
  if (vendor === 'zod')
    return 'Use "zod" 4.2 or newer, not "zod/mini", or set "inputJsonSchema": z.toJSONSchema(schema, { io: \'input\' }).'
  if (vendor === 'valibot') return 'Wrap it: toStandardJsonSchema(schema) of @valibot/to-json-schema.'
  return 'Set "inputJsonSchema" to the JSON Schema.'
}
