import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { JsonObject } from '@homeward/contract/agent-platform'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { createRuntime } from '../index.ts'
import type { Tool } from '../index.ts'
import { createScriptedModel } from '../testing/scripted-model.ts'
import { openWorld, wires } from './testing/provider-world.ts'

/** Stands for the integer until the answer is on its way: JavaScript could not write the answer. */
const mark = '@@'
const withInteger = (text: string, digits: string) => text.replaceAll(/\\?"@@\\?"/g, digits)

/** Integers of up to 40 digits, many of them near the ends of what numbers and databases hold. */
const integers = fc.oneof(
  fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }),
  fc.constantFrom(2n ** 53n, 2n ** 63n - 1n, 2n ** 64n, 10n ** 21n).chain((edge) => {
    return fc.tuple(fc.bigInt({ min: -3n, max: 3n }), fc.constantFrom(1n, -1n)).map(([by, sign]) => {
      return sign * (edge + by)
    })
  }),
)

/** Integers in a text, wherever they stand. */
const numbersIn = (text: string) => text.match(/-?\d{16,}/g) ?? []

function recordTool(id: Tool['inputSchema'], result: unknown) {
  const seen: unknown[] = []
  const tool: Tool = {
    id: 'record',
    description: 'Finds a record.',
    inputSchema: { type: 'object', properties: { id }, required: ['id'] },
    effects: 'read',
    idempotent: true,
    returnsUntrustedContent: false,
    async execute(args) {
      seen.push(args['id'])
      return result as never // an app without types may give anything
    },
  }
  return { tool, seen }
}

it.each(Object.keys(wires))(
  'An integer keeps its digits, or the call is rejected: %s',
  async (name) => {
    const idSchemas = fc.constantFrom({}, { type: ['integer', 'string'] }, { type: 'integer' })
    await fc.assert(
      fc.asyncProperty(integers, idSchemas, async (integer, idSchema) => {
        const digits = String(integer)
        const wire = wires[name]!([{ calls: [{ name: 'record', args: { id: mark } }] }, { text: 'done' }])
        const { tool, seen } = recordTool(idSchema, { found: integer, list: [{ next: integer }] })
        const answering: typeof fetch = async (input, init) => {
          const answer = await wire.standIn.fetch(input, init)
          return new Response(withInteger(await answer.text(), digits), answer)
        }
        const hosts = Object.fromEntries(Object.keys(wire.hosts).map((host) => [host, { fetch: answering }]))
        await using world = await openWorld({ ...wire, hosts }, { tools: [tool] })
        expect(await world.say('Find it')).toMatchObject({ success: true })
        const prompt = JSON.stringify(wire.standIn.requests.at(-1)?.body)
        if (seen.length === 0) expect(prompt).toContain('Pass such a number as a string')
        else expect(seen.map(String)).toEqual([digits])
        expect(prompt).toContain(digits)
        if (digits.length > 16) expect(new Set(numbersIn(prompt))).toEqual(new Set([digits]))
      }),
      { numRuns: 25 },
    )
  },
  60_000,
)

it('An integer keeps its digits from node to node, and in structured output', async () => {
  await fc.assert(
    fc.asyncProperty(integers, fc.boolean(), async (integer, isText) => {
      const digits = String(integer)
      const idSchema = isText ? { type: ['string', 'integer'] } : { type: 'integer' }
      const schema: JsonObject = { type: 'object', properties: { id: idSchema }, required: ['id'] }
      const answer = { text: `{"id": ${digits}}` }
      const models = { mine: () => createScriptedModel([answer, answer, answer]) }
      await using runtime = createRuntime({ environment: {}, models })
      await runtime.agents.create({ id: 'finder', model: 'mine/x', output_schema: schema })
      const nodes: unknown[] = []
      await runtime.graphs.put({
        id: 'chain',
        nodes: [
          { id: 'ask', agent: 'finder' },
          {
            id: 'look',
            run(input) {
              nodes.push(input.nodes['ask'])
              return { id: integer, from: input.nodes['ask'] }
            },
          },
        ],
        edges: [{ from: 'ask', to: 'look' }],
      })
      const { success, output, error } = await runtime.graphs.run({ graph_id: 'chain', input: 'Find it' })
      if (success) {
        expect(nodes.map((node) => String((node as { id: unknown }).id))).toEqual([digits])
        expect(output).toBe(JSON.stringify({ id: digits, from: nodes[0] }))
      } else {
        expect(Number.isSafeInteger(Number(integer)) || isText).toBe(false)
        expect(error).toContain('as a string')
      }
    }),
    { numRuns: 40 },
  )
}, 60_000)

it('A rounded integer in a call of a model of the app calls nothing', async () => {
  const args = (id: string) => ({ toolCalls: [{ name: 'record', args: `{"id":${id}}` }] })
  const steps = [args('2512292042121000001'), args('"2512292042121000001"'), args('12'), { text: 'done' }]
  const scripted = createScriptedModel(steps)
  const model: typeof scripted = Object.assign(Object.create(scripted) as typeof scripted, {
    provider: 'google.generative-ai',
    // as the package of Google does
    async doStream(options: Parameters<typeof scripted.doStream>[0]) {
      const { stream } = await scripted.doStream(options)
      const rounding = new TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart>({
        transform(part, controller) {
          const isCall = part.type === 'tool-call'
          controller.enqueue(isCall ? { ...part, input: JSON.stringify(JSON.parse(part.input)) } : part)
        },
      })
      return { stream: stream.pipeThrough(rounding) }
    },
  })
  const { tool, seen } = recordTool({}, {})
  await using runtime = createRuntime({ environment: {}, models: { mine: () => model }, tools: [tool] })
  await runtime.agents.create({ id: 'finder', model: 'mine/x' })
  const { steps: made } = await runtime.run({ agent_id: 'finder', task: 'Find it' })
  expect(seen).toEqual(['2512292042121000001', 12])
  expect(made[0]).toMatchObject({
    error: expect.stringContaining('Write such a number as a string') as string,
  })
})
