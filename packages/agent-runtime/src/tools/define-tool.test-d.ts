import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { expectTypeOf, it } from 'vitest'
import * as z from 'zod'
import {
  createRuntime,
  defineTool,
  type EffectContext,
  type Json,
  type RunContext,
  type Tool,
  type ToolContext,
  type TypedTool,
  type TypedToolDefinition,
} from '../index.ts'

const head = {
  id: 'a',
  description: 'A.',
  effects: 'read',
  idempotent: true,
  returnsUntrustedContent: false,
} as const

/** What an app builds for each run. */
interface App {
  readonly db: { find(id: string): Promise<string> }
}

it('types the arguments by the schema: what it makes, not what it reads', () => {
  const at = z.string().transform((text) => new Date(text))
  defineTool({
    ...head,
    inputSchema: z.object({ at, count: z.number().default(1) }),
    needsApproval: (args) => args.count > 1,
    execute(args, context) {
      expectTypeOf(args).toEqualTypeOf<{ at: Date; count: number }>()
      expectTypeOf(context).toEqualTypeOf<ToolContext>()
      return args.at
    },
  })
  defineTool({
    ...head,
    inputSchema: toStandardJsonSchema(v.object({ n: v.optional(v.number(), 1) })),
    execute: (args) => expectTypeOf(args).toEqualTypeOf<{ n: number }>(),
  })
  defineTool({
    ...head,
    inputSchema: type({ n: 'number' }),
    execute: async (args) => expectTypeOf(args).toEqualTypeOf<{ n: number }>(),
  })
})

it('types what a check of a call gives by the result', () => {
  defineTool({
    ...head,
    inputSchema: z.object({ n: z.number() }),
    execute: async ({ n }) => ({ ordered: n }),
    verify: async ({ n }, context) => {
      expectTypeOf(context).toEqualTypeOf<EffectContext>()
      return n > 1 ? { happened: true, result: { ordered: n } } : { happened: false }
    },
    undo: async ({ n }, result) => {
      expectTypeOf(result).toEqualTypeOf<{ ordered: number }>()
      return n
    },
  })
  defineTool({
    ...head,
    inputSchema: z.object({}),
    execute: async () => ({ ordered: 1 }),
    // @ts-expect-error -- not the result of the tool
    verify: async () => ({ happened: true, result: { ordered: 'one' } }),
  })
})

it('types the result by the schema of the output', () => {
  const output = z.object({ total: z.number(), currency: z.string().default('EUR') })
  defineTool({
    ...head,
    inputSchema: z.object({}),
    outputSchema: output,
    execute: async () => ({ total: 1 }),
  })
  const inputSchema = z.object({})
  // @ts-expect-error not what the output schema reads
  defineTool({ ...head, inputSchema, outputSchema: output, execute: async () => ({ total: '1' }) })
})

it('says what an approval may be', () => {
  const input = z.object({})
  defineTool({ ...head, inputSchema: input, needsApproval: () => 'deny', execute: () => 1 })
  defineTool({
    ...head,
    inputSchema: input,
    needsApproval: async (_, { depth }) => depth > 0,
    execute: () => 1,
  })
  // @ts-expect-error a boolean or deny
  defineTool({ ...head, inputSchema: input, needsApproval: () => 'always', execute: () => 1 })
})

it('leaves nothing untyped where no context is built', () => {
  expectTypeOf<ToolContext['context']>().toBeUnknown()
  expectTypeOf<RunContext['metadata'][string]>().toEqualTypeOf<Json>()
  const tool = defineTool({ ...head, inputSchema: z.object({}), execute: () => 1 })
  expectTypeOf(tool).toEqualTypeOf<TypedTool<'a', Record<string, never>, number>>()
  expectTypeOf(tool).toExtend<Tool>()
  expectTypeOf<ReturnType<typeof tool.execute>>().resolves.not.toBeAny()
  expectTypeOf<TypedToolDefinition<z.ZodString>['execute']>().returns.not.toBeAny()
})

it('passes the context of the app to its tools', () => {
  const find = defineTool({
    ...head,
    inputSchema: z.object({ id: z.string() }),
    async execute(args, { context }: ToolContext<App>) {
      expectTypeOf(args).toEqualTypeOf<{ id: string }>()
      return context.db.find(args.id)
    },
  })
  expectTypeOf(find).toEqualTypeOf<TypedTool<'a', { id: string }, string, App>>()
  expectTypeOf(find).toExtend<Tool<App>>()
  const db = { find: async (id: string) => id }
  createRuntime({ contextFor: () => ({ db }), tools: [find] })
  createRuntime({ contextFor: async ({ metadata, userId }) => ({ db, metadata, userId }), tools: [find] })
  // @ts-expect-error the tool needs a database
  createRuntime({ contextFor: () => ({ clock: 1 }), tools: [find] })
  createRuntime<App>({
    contextFor: () => ({ db }),
    tools: [
      {
        ...head,
        inputSchema: { type: 'object' },
        execute: async (_, { context }) => context.db.find('plain'),
      },
    ],
  })
})
