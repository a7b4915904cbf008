import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import * as zm from 'zod/mini'
import type { Tool, ToolContext } from '../ports/tool.ts'
import { agentOf, createKit } from '../runs/testing/run-kit.ts'
import { defineTool } from './define-tool.ts'

const head = {
  id: 'order',
  description: 'Orders.',
  effects: 'external',
  idempotent: false,
  returnsUntrustedContent: false,
} as const
const context = {} as ToolContext // no tool here reads anything of it

/** Runs an agent that calls the tool once with these arguments. */
async function runWith(tool: Tool, args: object) {
  const steps = [{ toolCalls: [{ name: tool.id, args }] }, { text: 'Done.' }]
  const kit = createKit({ agents: [agentOf()], tools: [tool], steps })
  const result = await kit.run()
  return { kit, result, step: result.steps[0] }
}

const libraries = [
  ['zod', z.object({ item: z.string(), count: z.string().transform(Number).default(1) })],
  [
    'Valibot',
    toStandardJsonSchema(
      v.object({ item: v.string(), count: v.optional(v.pipe(v.string(), v.transform(Number)), '1') }),
    ),
  ],
  ['ArkType', type({ item: 'string', 'count?': type('string').pipe(Number) })],
] as const

describe.each(libraries)('a tool with a schema of %s', (name, input) => {
  const open = () => {
    const call = vi.fn(async (...[args]: [object, ToolContext]) => ({ got: args }))
    return { call, tool: defineTool({ ...head, inputSchema: input, execute: call }) }
  }

  it('describes what the model has to write', () => {
    expect(open().tool.inputSchema).toMatchObject({
      type: 'object',
      properties: { item: { type: 'string' } },
      required: ['item'],
    })
    expect(open().tool.inputSchema).not.toHaveProperty('$schema')
  })

  it('gets its arguments as the schema parses them', async () => {
    const { tool, call } = open()
    const { step } = await runWith(tool, { item: 'tea', count: '3' })
    expect(call.mock.calls[0]?.[0]).toEqual({ item: 'tea', count: 3 })
    // people and the model read what the model wrote
    expect(step).toMatchObject({ args: { count: '3' }, result: { got: { count: 3 } } })
    await tool.execute({ item: 'tea' }, context)
    expect(call.mock.lastCall?.[0]).toEqual(name === 'ArkType' ? { item: 'tea' } : { item: 'tea', count: 1 })
  })

  it('is not called with arguments that do not match', async () => {
    const { tool, call } = open()
    const { step } = await runWith(tool, { item: 5 })
    expect(step?.error).toContain('/item: ')
    await expect(tool.execute({}, context)).rejects.toThrow(
      'The arguments do not match the parameters: /item: ',
    )
    expect(call).not.toHaveBeenCalled()
  })
})

describe('a tool of a schema', () => {
  it('D28: parses the arguments once for the check, the approval and the call', async () => {
    let transformed = 0
    const input = z.object({ n: z.number().transform((n) => n + (transformed += 1)) })
    const approval = vi.fn(() => false)
    const call = vi.fn(({ n }: { n: number }) => n)
    await runWith(defineTool({ ...head, inputSchema: input, needsApproval: approval, execute: call }), {
      n: 10,
    })
    expect([transformed, approval.mock.calls, call.mock.calls.map(([args]) => args)]).toEqual([
      1,
      [[{ n: 11 }, expect.anything()]],
      [{ n: 11 }],
    ])
  })

  it('keeps what the tool does to its arguments from the stored ones', async () => {
    const call = (args: { tags: string[] }) => args.tags.push('mine')
    const { step } = await runWith(
      defineTool({ ...head, inputSchema: type({ tags: 'string[]' }), execute: call }),
      {
        tags: [],
      },
    )
    expect(step).toMatchObject({ args: { tags: [] }, result: 1 })
  })

  it('awaits checks that take time, and tells the model if one fails', async () => {
    const input = z.object({ id: z.string().refine(async (id) => id === 'known', 'no such order') })
    const tool = defineTool({ ...head, inputSchema: input, execute: () => 'ok' })
    expect((await runWith(tool, { id: 'known' })).step?.result).toBe('ok')
    expect((await runWith(tool, { id: 'other' })).step?.error).toContain('/id: no such order')
    const broken = z.object({ id: z.string().refine(async () => Promise.reject(new Error('offline'))) })
    const failing = defineTool({ ...head, inputSchema: broken, execute: () => 'ok' })
    expect((await runWith(failing, { id: 'x' })).step?.error).toContain('could not be checked: offline')
  })

  it('does not outlast the time of its run with a check that never ends', async () => {
    const asked = Promise.withResolvers<void>()
    const input = z.object({
      id: z.string().refine(() => {
        asked.resolve()
        return new Promise<boolean>(() => {})
      }),
    })
    const tool = defineTool({ ...head, inputSchema: input, execute: () => 'ok' })
    const steps = [{ toolCalls: [{ name: tool.id, args: { id: 'x' } }] }]
    const kit = createKit({ agents: [agentOf()], tools: [tool], steps })
    const { runId, result } = await kit.runs.start({ agent_id: 'helper', task: 'Order' })
    await asked.promise
    await kit.runs.cancel(runId)
    expect((await result).stop_reason).toBe('cancelled')
  })

  it('parses its result by the schema of the output', async () => {
    const output = z.object({ total: z.number(), currency: z.string().default('EUR') })
    const good = defineTool({
      ...head,
      inputSchema: z.object({}),
      outputSchema: output,
      execute: () => ({ total: 3 }),
    })
    expect((await runWith(good, {})).step?.result).toEqual({ total: 3, currency: 'EUR' })
    const bad = defineTool({
      ...head,
      inputSchema: z.object({}),
      outputSchema: output,
      execute: () => JSON.parse('{"total":"x"}') as { total: number },
    })
    expect((await runWith(bad, {})).step?.error).toContain(
      'The call was made, but its result does not match "outputSchema": /total: ',
    )
  })

  it('gives null for nothing, and JSON for other objects', async () => {
    const nothing = defineTool({ ...head, inputSchema: z.object({}), execute: () => undefined })
    expect((await runWith(nothing, {})).step?.result).toBeNull()
    const at = new Date(0)
    const dated = defineTool({ ...head, inputSchema: z.object({}), execute: async () => ({ at }) })
    expect((await runWith(dated, {})).step?.result).toEqual({ at: at.toISOString() })
  })

  it('takes a union of objects', () => {
    const input = z.discriminatedUnion('by', [
      z.object({ by: z.literal('id'), id: z.string() }),
      z.object({ by: z.literal('name'), name: z.string() }),
    ])
    expect(defineTool({ ...head, inputSchema: input, execute: () => 1 }).inputSchema).toMatchObject({
      type: 'object',
      oneOf: [{ type: 'object' }, { type: 'object' }],
    })
  })

  it('takes the JSON Schema of a library that gives none', () => {
    const input = zm.object({ n: zm.number() })
    const parameters = z.toJSONSchema(input, { io: 'input' })
    expect(
      defineTool({ ...head, inputSchema: input, inputJsonSchema: parameters, execute: ({ n }) => n })
        .inputSchema,
    ).toBe(parameters)
  })

  it.each<[string, object]>([
    [
      '"inputSchema" cannot be converted to JSON Schema. Use "zod" 4.2 or newer, not "zod/mini"',
      { inputSchema: zm.object({}) },
    ],
    [
      '"inputSchema" cannot be converted to JSON Schema. Wrap it: toStandardJsonSchema(schema)',
      { inputSchema: v.object({}) },
    ],
    [
      '"inputSchema" cannot be converted to JSON Schema: Date cannot be represented',
      { inputSchema: z.object({ at: z.date() }) },
    ],
    ['"inputSchema" must describe an object. Put', { inputSchema: z.string() }],
    ['"inputSchema" must be a Standard Schema', { inputSchema: { type: 'object' } }],
    ['"outputSchema" must be a Standard Schema', { outputSchema: { type: 'object' } }],
    ['"effects" must be one of read, write, external', { effects: 'extern' }],
    ['"needsApproval" must be a function', { needsApproval: 'ask' }],
  ])('is rejected: %s', (problem, fields) => {
    const given = { ...head, inputSchema: z.object({}), execute: () => 1, ...fields } as never
    expect(() => defineTool(given)).toThrow(
      expect.objectContaining({
        code: 'validation_error',
        message: expect.stringContaining(`Defining the tool "order" failed: ${problem}`),
      }),
    )
  })
})
