import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { AgentInput } from '@homeward/contract/agent-platform'
import type { AgentCode, InstructionsFor } from '../ports/agent-code.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { Tool } from '../ports/tool.ts'
import { toolIdProblem } from '../tools/check-tools.ts'
import type { TypedTool } from '../tools/define-tool.ts'

/** An agent in code: the fields of a stored agent, with tools and instructions that may be functions. */
export interface AgentDefinition<Context = unknown> extends Omit<
  AgentInput,
  'id' | 'tools' | 'output_schema'
> {
  readonly id: string
  /**
   * The agent's instructions. A string is stored as its `personality`.
   *
   * A function returns instructions for one run, and is called once at its start. They are stored with the run and
   * follow the `personality`, which is the same for all runs, so that prompt caches can reuse it. At most 1,000,000
   * characters. If the function fails or takes longer than 30 seconds, the run does not start.
   */
  readonly instructions?: string | InstructionsFor<Context>
  /**
   * Tools that the agent may use: tools in code, which only this agent has, and names of other tools.
   *
   * @default tools of the runtime and of the agent's skills, and the built-in tools; the same for an empty list
   */
  readonly tools?: readonly (string | Tool<Context>)[]
  /**
   * Schema of the output: a schema of zod 4 or another library that provides a JSON Schema, or a JSON Schema.
   *
   * Only the JSON Schema is stored, so refinements do not apply. To apply them, pass the schema as `output` of a run.
   *
   * @default any text
   */
  readonly output_schema?: StandardSchemaV1 | Readonly<Record<string, unknown>>
}

/**
 * Describes an agent in code, for `runtime.agents.put()`.
 *
 * @throws {RuntimeError} `validation_error` if there is no id or no model, or both `personality` and a string of `instructions`.
 * @example
 * ```ts
 * import { createRuntime, defineAgent } from '@homeward/agent-runtime'
 *
 * const support = defineAgent({
 *   id: 'support',
 *   model: 'test/echo',
 *   personality: 'You help customers.',
 *   instructions: ({ metadata }) => `The customer is on the plan ${metadata['plan'] ?? 'free'}.`,
 * })
 * const runtime = createRuntime()
 * await runtime.agents.put(support)
 * ```
 */
export function defineAgent<
  Context = unknown,
  const Tools extends readonly (string | Tool<Context>)[] = readonly (string | Tool<Context>)[],
>(
  definition: AgentDefinition<Context> & { readonly tools?: Tools },
): Omit<AgentDefinition<Context>, 'tools'> & { readonly tools?: Tools } {
  const { id, model, instructions, personality, tools = [] }: Partial<AgentDefinition<Context>> = definition
  const refuse = (problem: string) =>
    new RuntimeError('validation_error', `Defining the agent failed: ${problem}.`)
  if (typeof id !== 'string' || id === '') throw refuse('"id" must be a string')
  if (typeof model !== 'string' || model === '') throw refuse('"model" must be a string')
  if (!['undefined', 'string', 'function'].includes(typeof instructions))
    throw refuse('"instructions" must be a string or a function')
  if (typeof instructions === 'string' && typeof personality === 'string')
    throw refuse('"instructions" as a string and "personality" mean the same. Remove one of them')
  const isList: boolean = Array.isArray(tools) // an app without types may give anything
  if (!isList) throw refuse('"tools" must be a list')
  const problem = toolIdProblem(tools.filter((tool) => typeof tool !== 'string'))
  if (problem !== undefined) throw refuse(problem)
  return definition
}

/**
 * The types of an agent's tools for pages with `useChat`. Calls of tools from `defineTool` are `tool-<name>` parts
 * with the input and output types of their schemas.
 *
 * @example
 * ```ts
 * import { defineAgent, type InferUITools } from '@homeward/agent-runtime'
 * import type { UIMessage } from 'ai'
 *
 * const support = defineAgent({ id: 'support', model: 'test/echo', tools: [] })
 * export type SupportMessage = UIMessage<unknown, never, InferUITools<typeof support>>
 * ```
 */
export type InferUITools<Agent extends { readonly tools?: readonly unknown[] }> = {
  [One in Extract<NonNullable<Agent['tools']>[number], Tool<never>> as NameOf<One>]: TypesOf<One>
}

/** Tools that `defineTool` did not make have any name. */
type NameOf<One extends { readonly id: string }> = string extends One['id'] ? never : One['id']

type TypesOf<One> =
  One extends TypedTool<string, infer Input, infer Output, never> ? { input: Input; output: Output } : never

/** What is stored of a definition, and what stays in this process. */
export function splitDefinition(definition: AgentDefinition): {
  readonly input: Omit<AgentInput, 'output_schema'> & { readonly id: string }
  readonly outputSchema: AgentDefinition['output_schema']
  readonly code: AgentCode
} {
  const { tools, instructions, output_schema: outputSchema, ...fields } = defineAgent(definition)
  const own = tools?.filter((tool) => typeof tool !== 'string') ?? []
  const names = tools?.map((tool) => (typeof tool === 'string' ? tool : tool.id))
  return {
    outputSchema,
    input: {
      ...fields,
      ...(typeof instructions === 'string' && { personality: instructions }),
      ...(names && { tools: [...new Set(names)] }),
    },
    code: { tools: own, ...(typeof instructions === 'function' && { instructions }) },
  }
}
