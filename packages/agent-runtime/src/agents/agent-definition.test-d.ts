import type { Agent } from '@homeward/contract/agent-platform'
import type { UIMessage } from 'ai'
import { expectTypeOf, it } from 'vitest'
import * as z from 'zod'
import {
  createRuntime,
  defineAgent,
  defineTool,
  type InferUITools,
  type RunContext,
  type ToolContext,
} from '../index.ts'

interface App {
  readonly plan: string
}
const head = { description: 'A.', effects: 'read', idempotent: true, returnsUntrustedContent: false } as const
const input = z.object({})
const look = defineTool({
  ...head,
  id: 'look',
  inputSchema: input,
  execute: (_, { context }: ToolContext<App>) => context.plan,
})

it('takes the fields of an agent, code tools and names of tools', () => {
  const agent = defineAgent({
    id: 'a',
    model: 'test/echo',
    limits: { max_turns: 3 },
    tools: [look, 'time'],
    instructions: ({ context, metadata, userId }: RunContext<App>) => {
      expectTypeOf(userId).toEqualTypeOf<string | undefined>()
      return `${context.plan} ${JSON.stringify(metadata)}`
    },
  })
  expectTypeOf(createRuntime().agents.put(agent)).resolves.toEqualTypeOf<Agent>()
  // @ts-expect-error an agent in code has an id
  defineAgent({ model: 'test/echo' })
  // @ts-expect-error there is no such field
  defineAgent({ id: 'a', model: 'test/echo', temperature: 1 })
})

it('gives functions that choose by the run the context that contextFor builds', () => {
  createRuntime({
    contextFor: ({ metadata }) => ({ plan: JSON.stringify(metadata['plan']) }),
    toolsFor: ({ context }) => (context.plan === 'gold' ? [look] : []),
    modelFor: ({ context }) => (context.plan === 'gold' ? 'test/echo' : undefined),
    skillsFor: async ({ context, agentId }) => [context.plan, agentId],
  })
  // @ts-expect-error a name, not a model
  createRuntime({ modelFor: () => ({ model: 'test/echo' }) })
})

it('gives pages the types of its tools', () => {
  const shared = { description: 'A.', effects: 'read', returnsUntrustedContent: false } as const
  const weather = defineTool({
    ...shared,
    id: 'weather',
    inputSchema: z.object({ city: z.string(), unit: z.enum(['c', 'f']).default('c') }),
    execute: async ({ city }) => ({ city, degrees: 21 }),
  })
  const total = defineTool({
    ...shared,
    id: 'total',
    inputSchema: z.object({}),
    outputSchema: z.object({ total: z.number(), currency: z.string().default('EUR') }),
    execute: () => ({ total: 1 }),
  })
  const agent = defineAgent({ id: 'a', model: 'test/echo', tools: [weather, total, 'memory_search'] })
  type Tools = InferUITools<typeof agent>
  expectTypeOf<keyof Tools>().toEqualTypeOf<'weather' | 'total'>()
  expectTypeOf<Tools['weather']['input']>().toEqualTypeOf<{ city: string; unit?: 'c' | 'f' | undefined }>()
  expectTypeOf<Tools['weather']['output']>().toEqualTypeOf<{ city: string; degrees: number }>()
  expectTypeOf<Tools['total']['output']>().toEqualTypeOf<{ total: number; currency: string }>()
  type Part = Extract<UIMessage<unknown, never, Tools>['parts'][number], { type: 'tool-weather' }>
  expectTypeOf<Extract<Part, { state: 'output-available' }>['output']['degrees']>().toEqualTypeOf<number>()
})
