import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  createMockAnthropicProvider,
  createMockChatProvider,
  createMockResponsesProvider,
} from '../testing/index.ts'
import { inTurn, localWire, lookTool, openWorld, refusalsOf, wires } from './testing/provider-world.ts'

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'homeward-odd-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

const call = { name: 'look', args: {} }
const { tool } = lookTool()

describe.each(Object.entries(wires))('a conversation with %s', (_, make) => {
  it.each([['\n\n'], [' \t\u00a0'], ['']])('goes on after the blank text %j before a call', async (text) => {
    const { standIn, ...wire } = make([{ text, calls: [call] }, { text: 'done' }])
    await using world = await openWorld(wire, { tools: [tool] })
    expect(await world.say('Look')).toMatchObject({ success: true, output: 'done' })
    expect(await world.say('Again')).toMatchObject({ success: true, output: 'ok' })
    expect(refusalsOf(standIn)).toEqual([])
  })

  it('goes on after empty answers and answers that are nothing but reasoning', async () => {
    const { standIn, ...wire } = make([{ text: '' }, { reasoning: 'Hm.' }, { text: ' ' }, { text: 'Yes' }])
    await using world = await openWorld(wire)
    for (const task of ['One', 'Two', 'Three']) await world.say(task)
    expect(await world.say('Four')).toMatchObject({ success: true, output: 'Yes' })
    expect(refusalsOf(standIn)).toEqual([])
  })

  it('keeps reasoning in a tool loop, also over a restart', async () => {
    const { standIn, ...wire } = make([
      { reasoning: 'Look first.', calls: [call, call] },
      { reasoning: 'Once more.', text: 'Wait.', calls: [call] },
      { text: 'done' },
    ])
    {
      await using world = await openWorld(wire, { home, tools: [tool] })
      expect(await world.say('Look')).toMatchObject({ success: true, output: 'done' })
    }
    await using again = await openWorld(wire, { home, tools: [tool] })
    expect(await again.say('And now?')).toMatchObject({ success: true, output: 'ok' })
    expect(refusalsOf(standIn)).toEqual([])
  })

  it('sums up at max_turns', async () => {
    const { standIn, ...wire } = make([{ calls: [call] }, { text: '\n', calls: [call] }, { text: 'So far' }])
    await using world = await openWorld(wire, { tools: [tool] }, { limits: { max_turns: 2 } })
    expect(await world.say('Look')).toMatchObject({ stop_reason: 'max_turns', output: 'So far' })
    expect(await world.say('Go on')).toMatchObject({ success: true })
    expect(refusalsOf(standIn)).toEqual([])
    const told = JSON.stringify(standIn.requests[2]?.body)
    expect(told).toContain(String.raw`[Result of look: {\"ok\":true}]`)
  })

  it('takes ids of calls as other providers write them', async () => {
    const odd = ['functions.look:0', 'x'.repeat(80), 'über 1', 'functions.look:0']
    const first = createMockChatProvider({
      answer: inTurn([...odd.map((id) => ({ calls: [{ ...call, id }] })), { text: 'done' }]),
    })
    const { standIn, ...wire } = make()
    const hosts = { ...wire.hosts, 'kimi.example': first }
    const environment = { ...wire.environment, OPENROUTER_BASE_URL: 'http://kimi.example/v1' }
    const isSame = wire.model.startsWith('openrouter/')
    await using world = await openWorld({ ...wire, hosts, environment }, { tools: [tool] })
    if (!isSame) await world.runtime.agents.update('helper', { model: 'openrouter/kimi' })
    await world.say('Look')
    await world.runtime.agents.update('helper', { model: wire.model })
    expect(await world.say('And now?')).toMatchObject({ success: true })
    expect([...refusalsOf(first), ...refusalsOf(standIn)]).toEqual([])
  })

  it('knows properties of tools by names that it accepts, and the tool by its own', async () => {
    const names = ['StartTime<', 'größe in cm', 'a/b', 'x'.repeat(70)]
    const properties = Object.fromEntries(names.map((name) => [name, { type: 'number' }]))
    const { tool: look, seen } = lookTool({ type: 'object', properties, required: names })
    const { standIn, ...wire } = make()
    const args = Object.fromEntries(names.map((name, at) => [name, at]))
    const asked = new Map<string, number>()
    await using world = await openWorld(
      {
        ...wire,
        hosts: Object.fromEntries(Object.keys(wire.hosts).map((host) => [host, standIn])),
      },
      { tools: [look] },
    )
    await world.say('Hello')
    const wireNames = propertyNamesOf(JSON.stringify(standIn.requests[0]?.body))
    for (const [at, name] of wireNames.entries()) asked.set(name, at)
    const { standIn: second, ...next } = make([
      { calls: [{ name: 'look', args: Object.fromEntries(asked) }] },
    ])
    await using calling = await openWorld(next, { tools: [look] })
    expect(await calling.say('Look')).toMatchObject({ success: true, steps: [{ args }] })
    expect(await calling.say('Again')).toMatchObject({ success: true })
    expect(seen).toEqual([args])
    expect([...refusalsOf(standIn), ...refusalsOf(second)]).toEqual([])
  })

  it.each([
    [{ type: 'object' }],
    [{}],
    [{ type: 'object', anyOf: [{ required: ['a'] }, { required: ['b'] }] }],
    [{ oneOf: [{ type: 'object', properties: { a: { type: 'string' } } }], $schema: 'draft-07' }],
    [{ type: 'object', properties: { list: { type: 'array' }, when: { $ref: '#/nowhere' } }, id: 'x' }],
  ])('is not ended by the schema %j of one tool', async (parameters) => {
    const { standIn, ...wire } = make()
    const toolSources = [{ toolsFor: async () => [lookTool(parameters).tool] }]
    await using world = await openWorld(wire, { toolSources })
    expect(await world.say('Hello')).toMatchObject({ success: true, output: 'ok' })
    expect(refusalsOf(standIn)).toEqual([])
  })
})

/** Names of the properties of the tool `look` in a request, in their order. */
function propertyNamesOf(body: string): string[] {
  const found = /"properties":(\{(?:"[^"]*":\{"type":"number"\},?)+\})/.exec(body)?.[1] ?? '{}'
  return Object.keys(JSON.parse(found) as object)
}

describe('another provider', () => {
  it.each([['anthropic/claude-sonnet-5'], ['openai/gpt-6-sol'], ['openai-chat/gpt-5']])(
    'takes over in the middle of a run, with what the first has written: %s',
    async (fallback) => {
      const primary = createMockChatProvider({
        wantsReasoning: true,
        answer: inTurn([
          { reasoning: 'Hm.', text: '\n', calls: [{ ...call, id: 'functions.look:0' }] },
          { text: '\n\n', reasoning: 'So.', calls: [{ ...call, id: 'functions.look:0' }] },
        ]),
      })
      const anthropic = createMockAnthropicProvider()
      const openai = fallback.startsWith('openai-chat/')
        ? createMockChatProvider()
        : createMockResponsesProvider()
      let requests = 0
      const breaking = {
        fetch: (async (input, init) => {
          requests += 1
          return requests > 2 ? Response.json({}, { status: 503 }) : primary.fetch(input, init)
        }) as typeof fetch,
      }
      const { environment } = wires['Anthropic']!()
      const hosts = { 'openrouter.ai': breaking, 'api.anthropic.com': anthropic, 'api.openai.com': openai }
      const wire = { model: 'openrouter/kimi', hosts, environment }
      await using world = await openWorld(wire, { tools: [tool] }, { fallback_models: [fallback] })
      expect(await world.say('Look')).toMatchObject({ success: true, model: fallback, output: 'ok' })
      expect(refusalsOf(anthropic)).toEqual([])
      expect(refusalsOf(openai)).toEqual([])
    },
  )

  it('and back: neither gets what only the other can read', async () => {
    const answers = [
      { reasoning: 'Mine.', calls: [call] },
      { reasoning: 'Mine.', text: 'done' },
    ]
    const claude = createMockAnthropicProvider({ answer: inTurn(answers) })
    const openai = createMockResponsesProvider({ answer: inTurn(answers) })
    const { environment } = wires['Anthropic']!()
    const hosts = { 'api.anthropic.com': claude, 'api.openai.com': openai }
    const models = ['openai/gpt-6-sol', 'anthropic/claude-sonnet-5']
    await using world = await openWorld({ model: models[0]!, hosts, environment }, { tools: [tool] })
    for (const model of [...models, ...models]) {
      await world.runtime.agents.update('helper', { model })
      expect(await world.say('Look')).toMatchObject({ success: true })
    }
    expect([...refusalsOf(claude), ...refusalsOf(openai)]).toEqual([])
  })
})

describe('a template with alternating roles', () => {
  it('takes the next message after failed and cancelled ones', async () => {
    const { standIn, ...wire } = localWire([], { alternates: true })
    let isDown = true
    const flaky = {
      fetch: (async (input, init) => {
        return isDown
          ? Response.json({ error: { message: 'no' } }, { status: 400 })
          : standIn.fetch(input, init)
      }) as typeof fetch,
    }
    await using world = await openWorld({ ...wire, hosts: { 'gpu.example': flaky } })
    for (const task of ['One', 'Two', 'Three'])
      expect(await world.say(task)).toMatchObject({ success: false })
    isDown = false
    expect(await world.say('Four')).toMatchObject({ success: true, output: 'ok' })
    expect(refusalsOf(standIn)).toEqual([])
  })
})
