import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RunEvent } from '@homeward/contract/agent-platform'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { MockProviderResponse } from '../testing/index.ts'
import { inTurn, localWire, lookTool, openWorld, refusalsOf, wires } from './testing/provider-world.ts'
import {
  createMockAnthropicProvider,
  createMockGoogleProvider,
  createMockResponsesProvider,
} from '../testing/index.ts'

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'homeward-hosted-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

const search = {
  query: 'weather in Oslo',
  results: [
    { url: 'https://weather.example/oslo', title: 'Oslo' },
    { url: 'https://b.example/', title: 'B' },
  ],
}
const found: MockProviderResponse = {
  reasoning: 'I should search.',
  searches: [search],
  text: 'It is sunny.',
}
const agent = { hosted_tools: ['web_search' as const] }
const { tool } = lookTool()
const bodyOf = (standIn: { readonly requests: readonly { readonly body: unknown }[] }, number: number) =>
  JSON.stringify(standIn.requests.at(number)?.body)

describe.each(['OpenAI (Responses)', 'Anthropic', 'Google'] as const)('A21: web_search of %s', (name) => {
  const wire = (answers: readonly MockProviderResponse[]) => wires[name]!(answers)

  it('is shown, stored, and sent back unchanged in later turns and runs', async () => {
    const call: MockProviderResponse = { ...found, calls: [{ name: 'look', args: {} }] }
    const wired = wire([call, { text: 'Sunny, I looked.' }, { text: 'Yes.' }])
    await using world = await openWorld(wired, { tools: [tool] }, agent)
    const { events, result } = await world.runtime.stream({
      agent_id: 'helper',
      task: 'Weather?',
      conversation_id: 'chat',
    })
    const seen: RunEvent[] = []
    for await (const event of events) seen.push(event)
    expect(await result).toMatchObject({ stop_reason: 'done', tool_calls: 1, output: 'Sunny, I looked.' })
    const told = seen.flatMap(({ event, data }) => (event === 'source' ? [data] : []))
    expect(told).toEqual(search.results)
    const calls = seen.flatMap(({ event, data }) =>
      event === 'tool_start' || event === 'tool_call' ? [`${event} ${data.name}`] : [],
    )
    expect(calls).toEqual([
      'tool_start web_search',
      'tool_call web_search',
      'tool_start look',
      'tool_call look',
    ])
    expect(JSON.stringify(seen)).not.toContain('encrypted')
    await world.say('Sure?')
    expect(refusalsOf(wired.standIn)).toEqual([])
    expect(wired.standIn.requests).toHaveLength(3)
    for (const number of [1, 2]) {
      expect(bodyOf(wired.standIn, number)).toMatch(/web_search_call|server_tool_use|"toolCall"/)
      expect(bodyOf(wired.standIn, number)).not.toContain('homeward')
      if (name === 'Anthropic') expect(bodyOf(wired.standIn, number)).toContain('encrypted_index')
    }
    const { messages } = await world.runtime.conversations.get('chat')
    expect(
      messages
        .map(({ role, tool_name, tool_calls, sources }) => [
          role,
          tool_name ?? tool_calls?.map((each) => each.name),
          sources?.length,
        ])
        .slice(0, 5),
    ).toEqual([
      ['user', undefined, undefined],
      ['assistant', ['web_search'], undefined],
      ['tool', 'web_search', undefined],
      ['assistant', ['look'], 2],
      ['tool', 'look', undefined],
    ])
    expect(JSON.stringify(messages)).not.toContain('encrypted')
    expect((await result).steps).toHaveLength(1)
  })

  it('A20: taints the run, so that what reaches others needs a person', async () => {
    const send = { ...tool, id: 'send', effects: 'external' as const }
    const wired = wire([{ ...found, calls: [{ name: 'send', args: {} }] }])
    await using world = await openWorld(wired, { tools: [send] }, agent)
    expect((await world.say('Search and send')).stop_reason).toBe('approval')
    expect(refusalsOf(wired.standIn)).toEqual([])
  })

  it('is told in words to another provider, and to a call without tools', async () => {
    const wired = wire([found])
    const options = { home, tools: [tool] }
    {
      await using world = await openWorld(wired, options, agent)
      await world.say('Weather?')
      await world.runtime.agents.update('helper', { hosted_tools: null })
      await world.say('Without the tool?')
      await world.runtime.agents.update('helper', { model: 'openai/local' })
    }
    const local = localWire()
    await using world = await openWorld(local, options)
    expect((await world.say('And you?')).output).toBe('ok')
    expect([...refusalsOf(wired.standIn), ...refusalsOf(local.standIn)]).toEqual([])
    // OpenAI takes the items back without the tool: what follows them needs their reasoning.
    const own = name === 'OpenAI (Responses)' ? [] : [bodyOf(wired.standIn, 1)]
    for (const body of [...own, bodyOf(local.standIn, 0)]) {
      expect(body).toContain('[Called web_search with')
      expect(body).toContain('[Result of web_search:')
      expect(body).not.toContain('encrypted:https')
    }
  })
})

describe('A21: hosted tools', () => {
  it('of OpenAI are there behind another base URL too, if the operator chooses the Responses API', async () => {
    const standIn = createMockResponsesProvider({ answer: inTurn([found]) })
    const environment = {
      OPENAI_API_KEY: '1',
      OPENAI_BASE_URL: 'http://gpu.example/v1',
      OPENAI_API: 'responses',
    }
    const wired = { model: 'openai/gpt-6-sol', hosts: { 'gpu.example': standIn }, environment }
    await using world = await openWorld(wired, {}, agent)
    expect((await world.say('Weather?')).output).toBe('It is sunny.')
    expect(bodyOf(standIn, 0)).toContain('web_search')
  })

  it('of Anthropic go back after a summary of all turns without tools', async () => {
    const wired = wires['Anthropic']!([
      { ...found, calls: [{ name: 'look', args: {} }] },
      { text: 'Summed up.' },
      { text: 'Next.' },
    ])
    await using world = await openWorld(wired, { tools: [tool] }, { ...agent, limits: { max_turns: 1 } })
    expect(await world.say('Weather?')).toMatchObject({ stop_reason: 'max_turns', output: 'Summed up.' })
    expect((await world.say('And?')).output).toBe('Next.')
    expect(refusalsOf(wired.standIn)).toEqual([])
    expect(bodyOf(wired.standIn, 1)).not.toContain('encrypted_index')
    expect(bodyOf(wired.standIn, 2)).toContain('server_tool_use')
  })

  it.each([
    ['openai-chat/gpt-5', {}],
    ['openai/gpt-6-sol', { OPENAI_API: 'chat' }],
    ['openai/local', { OPENAI_BASE_URL: 'http://gpu.example/v1' }],
    ['openrouter/some/model', {}],
    ['google/gemma-3-27b-it', {}],
    ['test/echo', {}],
  ])('of %s with %j do not exist: the run does not start', async (model, environment) => {
    const keys = { OPENAI_API_KEY: '1', OPENROUTER_API_KEY: '2', GOOGLE_API_KEY: '3', ...environment }
    await using world = await openWorld({ model, hosts: {}, environment: keys }, {}, agent)
    await expect(world.say('Hi')).rejects.toMatchObject({
      code: 'validation_error',
      message: expect.stringContaining(`${model} has no hosted tool "web_search"`),
    })
  })

  it('are offered in the version that an older Claude model knows', async () => {
    const typeFor = async (model: string) => {
      const standIn = createMockAnthropicProvider()
      const hosts = { 'api.anthropic.com': standIn }
      await using world = await openWorld(
        { model, hosts, environment: { ANTHROPIC_API_KEY: '1' } },
        {},
        agent,
      )
      await world.say('Hi')
      return /web_search_\d+/.exec(bodyOf(standIn, 0))?.[0]
    }
    expect(await typeFor('anthropic/claude-sonnet-5')).toBe('web_search_20260318')
    expect(await typeFor('anthropic/claude-sonnet-4-6')).toBe('web_search_20260318')
    expect(await typeFor('anthropic/claude-sonnet-4-5-20250929')).toBe('web_search_20250305')
  })

  it('are left out, with a warning, by a Gemini model that takes no other tools with them', async () => {
    const standIn = createMockGoogleProvider()
    const hosts = { 'generativelanguage.googleapis.com': standIn }
    const model = 'google/gemini-2.5-flash'
    const options = { tools: [tool] }
    await using world = await openWorld(
      { model, hosts, environment: { GOOGLE_API_KEY: '1' } },
      options,
      agent,
    )
    const { warnings } = await world.say('Hi')
    expect(warnings).toEqual([expect.stringContaining('cannot use web_search together with other tools')])
    expect(refusalsOf(standIn)).toEqual([])
    expect(bodyOf(standIn, 0)).toContain('functionDeclarations')
    expect(bodyOf(standIn, 0)).not.toContain('googleSearch')
  })

  it('skip a fallback model without them, and go on with one that has them', async () => {
    const wired = wires['OpenAI (Responses)']!([])
    const anthropic = createMockAnthropicProvider({ answer: inTurn([found]) })
    const down = { fetch: async () => new Response(null, { status: 404 }) }
    const hosts = { 'api.openai.com': down, 'api.anthropic.com': anthropic }
    const fallback_models = ['openai-chat/gpt-5', 'test/echo', 'anthropic/claude-sonnet-5']
    const warned: string[] = []
    const logger = { warn: (text: string) => void warned.push(text), error() {} }
    await using world = await openWorld({ ...wired, hosts }, { logger }, { ...agent, fallback_models })
    expect(await world.say('Weather?')).toMatchObject({
      model: 'anthropic/claude-sonnet-5',
      output: 'It is sunny.',
    })
    expect(warned.filter((text) => text.includes('fallback'))).toHaveLength(2)
  })

  it('go back with the reason if they failed', async () => {
    const failed = { query: 'x', results: [], error: 'max_uses_exceeded' }
    const wired = wires['Anthropic']!([{ searches: [failed], text: 'I could not search.' }])
    await using world = await openWorld(wired, {}, agent)
    const { events } = await world.runtime.stream({ agent_id: 'helper', task: 'Hi', conversation_id: 'chat' })
    const errors: unknown[] = []
    for await (const { event, data } of events) if (event === 'tool_call') errors.push(data.error)
    expect(errors).toEqual([expect.stringContaining('max_uses_exceeded')])
    await world.say('Why?')
    expect(refusalsOf(wired.standIn)).toEqual([])
    expect(bodyOf(wired.standIn, 1)).toContain('web_search_tool_result_error')
  })

  it('go on after a pause of the provider', async () => {
    const paused: MockProviderResponse = { searches: [search], pauses: true }
    const wired = wires['Anthropic']!([paused, { text: 'It is sunny.' }])
    await using world = await openWorld(wired, {}, agent)
    expect(await world.say('Weather?')).toMatchObject({
      output: 'It is sunny.',
      turns: 2,
      stop_reason: 'done',
    })
    expect(refusalsOf(wired.standIn)).toEqual([])
    await world.say('Sure?')
    expect(refusalsOf(wired.standIn)).toEqual([])
  })

  it('take their name from a tool of the agent with the same id', async () => {
    const own = { ...tool, id: 'web_search' }
    const wired = wires['Anthropic']!([{ calls: [{ name: 'web_search_2', args: {} }] }])
    await using world = await openWorld(wired, { tools: [own] }, agent)
    expect(await world.say('Hi')).toMatchObject({ steps: [{ tool: 'web_search', result: { ok: true } }] })
    expect(refusalsOf(wired.standIn)).toEqual([])
  })
})
