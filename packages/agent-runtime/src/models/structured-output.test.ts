import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import { createRuntime } from '../index.ts'
import {
  createMockAnthropicProvider,
  type MockProvider,
  type MockProviderResponse,
} from '../testing/index.ts'
import {
  fetchTo,
  inTurn,
  lookTool,
  openWorld,
  refusalsOf,
  wires,
  type Wired,
} from './testing/provider-world.ts'

const schema: JsonObject = {
  type: 'object',
  properties: { city: { type: 'string' }, degrees: { type: 'number' } },
  required: ['city', 'degrees'],
  additionalProperties: false,
}
const text = '{"city":"Vienna","degrees":21}'
const data = { city: 'Vienna', degrees: 21 }

const wireOf = (name: string, answers: readonly MockProviderResponse[]): Wired => {
  const wire = wires[name]?.(answers)
  if (!wire) throw new Error(`There is no ${name}`)
  return wire
}

async function runOn(wire: Wired, output_schema: JsonObject = schema, fields: object = {}) {
  const { tool, seen } = lookTool()
  await using world = await openWorld(wire, { tools: [tool] }, { output_schema, ...fields })
  return { result: await world.say('How warm is it?'), seen }
}

const bodiesOf = ({ requests }: MockProvider) => requests.map(({ body }) => body as JsonObject)

/** The schema that a provider is asked to hold its model to, where its API takes it. */
const heldTo: Readonly<Record<string, (body: JsonObject) => Json | undefined>> = {
  'OpenAI (Responses)': ({ text: part }) =>
    (part as { format?: { schema: Json } } | undefined)?.format?.schema,
  'OpenAI (Chat Completions)': ({ response_format: format }) =>
    (format as { json_schema: { schema: Json } } | undefined)?.json_schema.schema,
  Anthropic: ({ output_config: config, output_format: format }) =>
    (config as { format?: { schema: Json } } | undefined)?.format?.schema ??
    (format as { schema: Json } | undefined)?.schema,
  Google: ({ generationConfig: config }) => (config as { responseJsonSchema?: Json }).responseJsonSchema,
}
const native = Object.keys(heldTo)
const others = Object.keys(wires).filter((name) => !native.includes(name))

/** Whether the model reads the schema itself. */
const isTold = (body: JsonObject) => JSON.stringify(body).includes('<json_schema>')
const hasTools = ({ tools }: JsonObject) => JSON.stringify(tools ?? null).includes('"look"')

describe('structured output on the wire', () => {
  it.each(native)('asks %s to hold its model to the schema, with the tools still there', async (name) => {
    const wire = wireOf(name, [{ calls: [{ name: 'look', args: {} }] }, { text }])
    const { result, seen } = await runOn(wire)
    expect(refusalsOf(wire.standIn)).toEqual([])
    expect(result).toMatchObject({ success: true, data, output: text })
    expect(seen).toHaveLength(1)
    const bodies = bodiesOf(wire.standIn)
    expect(bodies).toHaveLength(2)
    for (const body of bodies) {
      expect(heldTo[name]?.(body)).toMatchObject({ properties: { degrees: { type: 'number' } } })
      expect([isTold(body), hasTools(body)]).toEqual([false, true])
    }
  })

  it.each(others)('tells the model of %s the schema, with the tools still there', async (name) => {
    const wire = wireOf(name, [{ calls: [{ name: 'look', args: {} }] }, { text: 'Warm.' }, { text }])
    const { result, seen } = await runOn(wire)
    expect(refusalsOf(wire.standIn)).toEqual([])
    expect(result).toMatchObject({ success: true, data, output: text })
    expect(seen).toHaveLength(1)
    for (const body of bodiesOf(wire.standIn)) {
      expect([isTold(body), hasTools(body), 'response_format' in body]).toEqual([true, true, false])
    }
  })

  it('asks a compatible server to hold its model to the schema where no tools are offered', async () => {
    const wire = wireOf('a compatible server', [{ calls: [{ name: 'look', args: {} }] }, { text }])
    const { result } = await runOn(wire, schema, { limits: { max_turns: 1 } })
    expect(result).toMatchObject({ data, stop_reason: 'max_turns' })
    const last = bodiesOf(wire.standIn).at(-1) ?? {}
    expect(last).toMatchObject({ response_format: { type: 'json_schema', json_schema: { name: 'output' } } })
    expect(isTold(last)).toBe(false)
  })

  it('uses the strict mode of OpenAI for schemas that it takes, and no other', async () => {
    const strictOf = async (output_schema: JsonObject) => {
      const wire = wireOf('OpenAI (Responses)', [{ text }])
      await runOn(wire, output_schema)
      return (bodiesOf(wire.standIn)[0]?.['text'] as { format: { strict: boolean } } | undefined)?.format
        .strict
    }
    const { additionalProperties: _, ...open } = schema
    expect(await strictOf(schema)).toBe(true)
    expect(await strictOf(open)).toBe(true)
    expect(await strictOf({ ...schema, required: ['city'] })).toBe(false)
    expect(
      await strictOf({
        ...schema,
        properties: { ...(schema['properties'] as JsonObject), x: { minLength: 1 } },
      }),
    ).toBe(false)
  })

  it.each([
    ['of a list', { type: 'array', items: { type: 'string' } }, '["a"]'],
    ['of a map', { type: 'object', additionalProperties: { type: 'number' } }, '{"a":1}'],
    ['with a map inside', { type: 'object', properties: { a: { type: 'object' } } }, '{"a":{"b":1}}'],
    ['with pattern properties', { ...schema, patternProperties: { '^x-': {} } }, text],
    [
      'with names that providers reject',
      { type: 'object', properties: { 'größe (cm)': { type: 'number' } } },
      '{"größe (cm)":7}',
    ],
    [
      'with parts that all have to match',
      { type: 'object', properties: { a: { allOf: [{ type: 'object', properties: { b: {} } }] } } },
      '{"a":{"b":1}}',
    ],
  ])(
    'tells every model a schema %s, which closing or renaming would change',
    async (_, output_schema, answer) => {
      for (const name of native) {
        const wire = wireOf(name, [{ text: answer }])
        const { result } = await runOn(wire, output_schema)
        expect([name, refusalsOf(wire.standIn), result.data]).toEqual([name, [], JSON.parse(answer)])
        const [body = {}] = bodiesOf(wire.standIn)
        expect([name, isTold(body), heldTo[name]?.(body)]).toEqual([name, true, undefined])
      }
    },
  )

  it('accepts schemas of hundreds of properties and of great depth on every provider', async () => {
    const wide = Object.fromEntries(Array.from({ length: 600 }, (_, n) => [`p${n}`, { type: 'string' }]))
    let deep: JsonObject = { type: 'string' }
    for (let level = 0; level < 48; level += 1) deep = { type: 'object', properties: { a: deep } }
    for (const output_schema of [{ type: 'object', properties: wide }, deep]) {
      for (const name of Object.keys(wires)) {
        const wire = wireOf(name, [{ text: '{}' }])
        const { result } = await runOn(wire, output_schema)
        expect([name, refusalsOf(wire.standIn), result.data]).toEqual([name, [], {}])
      }
    }
  })

  it('tells a model the schema that its provider rejected, and remembers it for the run', async () => {
    const wire = wireOf('OpenAI (Chat Completions)', [{ calls: [{ name: 'look', args: {} }] }, { text }])
    let rejected = 0
    const picky: typeof fetch = async (input, init) => {
      const body = init?.body as string
      if (!body.includes('"response_format"')) return wire.standIn.fetch(input, init)
      rejected += 1
      const message =
        "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model."
      return Response.json(
        { error: { message, type: 'invalid_request_error', param: null, code: null } },
        { status: 400 },
      )
    }
    await using runtime = createRuntime({
      environment: wire.environment,
      fetch: fetchTo({ 'api.openai.com': { fetch: picky } }),
      tools: [lookTool().tool],
    })
    await runtime.agents.create({ id: 'helper', model: wire.model, output_schema: schema })
    expect(await runtime.run({ agent_id: 'helper', task: 'x' })).toMatchObject({ success: true, data })
    expect(rejected).toBe(1)
    expect(bodiesOf(wire.standIn).map(isTold)).toEqual([true, true])
  })

  it.each([
    ['thinking', { reasoning: 'high' as const }, 'auto'],
    ['not thinking', {}, 'any'],
  ])('gets data from an older Claude, %s', async (_, model_settings, choice) => {
    const standIn = createMockAnthropicProvider({
      answer: inTurn([
        { calls: [{ name: 'look', args: {} }] },
        { text: 'Warm.' },
        { calls: [{ name: 'json', args: data }] },
      ]),
    })
    const wire = { ...wireOf('Anthropic', []), model: 'anthropic/claude-sonnet-4-20250514', standIn }
    const { result, seen } = await runOn({ ...wire, hosts: { 'api.anthropic.com': standIn } }, schema, {
      model_settings,
    })
    expect(refusalsOf(standIn)).toEqual([])
    expect(result).toMatchObject({ success: true, data, output: text })
    expect(seen).toHaveLength(1)
    expect(bodiesOf(standIn)[0]).toMatchObject({ tool_choice: { type: choice } })
  })

  it.each(Object.keys(wires))('corrects an output of %s', async (name) => {
    const wire = wireOf(name, [{ reasoning: 'Hm.', text: 'Warm.' }, { text: '{}' }, { text }])
    const { result } = await runOn(wire)
    expect(refusalsOf(wire.standIn)).toEqual([])
    expect(result).toMatchObject({ success: true, data })
    expect(JSON.stringify(bodiesOf(wire.standIn)[1])).toContain('the output is not valid JSON')
  })
})
