import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Json } from '@homeward/contract/agent-platform'
import { createRuntime } from '../index.ts'
import {
  createMockAnthropicProvider,
  createMockChatProvider,
  createPrefixCache,
  createMockResponsesProvider,
  type MockProviderResponse,
  type MockProviderOptions,
  type MockProviderUsage,
} from '../testing/index.ts'
import { lookTool, openWorld, refusalsOf, type Wired } from './testing/provider-world.ts'

type Fields = Record<string, unknown>

const environment = { ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'k', OPENROUTER_API_KEY: 'k' }
const personality = 'You look at things. '.repeat(300)

/** Providers whose prompt caches have to be used, by the name of the model. */
const providers = {
  'anthropic/claude-sonnet-5': ['marks', 'api.anthropic.com', createMockAnthropicProvider],
  'openrouter/anthropic/claude-sonnet-5': ['marks', 'openrouter.ai', createMockChatProvider],
  'openai/gpt-6-sol': ['prefixes', 'api.openai.com', createMockResponsesProvider],
  'openai-chat/gpt-5': ['prefixes', 'api.openai.com', createMockChatProvider],
} as const
type ModelName = keyof typeof providers
const models = Object.keys(providers) as ModelName[] // the keys of the object above

function wire(model: ModelName, answer?: MockProviderOptions['answer']) {
  const [kind, host, create] = providers[model]
  const cache = createPrefixCache(kind)
  const standIn = create({ usage: cache.usage, ...(answer && { answer }) })
  const wired: Wired = { model, standIn, hosts: { [host]: standIn }, environment }
  return { wired, standIn, cache, bodies: () => standIn.requests.map(({ body }) => body) }
}

/** Calls the tool so often, with some text of its own, and then answers. */
const callingTool =
  (times: number, callsAtOnce = 1) =>
  (_: Json, number: number): MockProviderResponse =>
    number % (times + 1) === times
      ? { text: `Done ${number}` }
      : {
          reasoning: `Thinking about ${number}`,
          text: `Look number ${number}`,
          calls: Array.from({ length: callsAtOnce }, (_, call) => ({
            name: 'look',
            args: { number, call, a: 1 },
          })),
        }

const marksIn = (body: Json) => JSON.stringify(body).split('"cache_control":{').length - 1

let home: string
beforeEach(async () => void (home = await mkdtemp(join(tmpdir(), 'homeward-cache-'))))
afterEach(() => rm(home, { recursive: true, force: true }))

describe.each(models)('the prompt cache of %s', (model) => {
  it('gives at least 90 % of 20 tool turns of one run', { timeout: 30_000 }, async () => {
    const { wired, standIn, cache, bodies } = wire(model, callingTool(20))
    await using world = await openWorld(
      wired,
      { tools: [lookTool().tool] },
      { personality, limits: { max_turns: 30 } },
    )
    const result = await world.say('Look 20 times')
    expect([result.stop_reason, refusalsOf(standIn), cache.requests.length]).toEqual(['done', [], 21])
    expect(cache.share()).toBeGreaterThan(0.9)
    const sum = (pick: (used: MockProviderUsage) => number) =>
      cache.requests.reduce((all, used) => all + pick(used), 0)
    const written = model.startsWith('openai') ? 0 : sum(({ cacheWrite }) => cacheWrite)
    expect(result.usage).toEqual({
      input_tokens: sum(({ input }) => input),
      output_tokens: sum(({ output }) => output),
      cached_input_tokens: sum(({ cacheRead }) => cacheRead),
      ...(written > 0 && { cache_write_input_tokens: written }),
    })
    expect(Math.max(...bodies().map(marksIn))).toBe(providers[model][0] === 'marks' ? 4 : 0)
  })

  it('gives it when a turn adds more blocks than Anthropic looks back', { timeout: 30_000 }, async () => {
    const { wired, standIn, cache } = wire(model, callingTool(5, 15))
    await using world = await openWorld(wired, { tools: [lookTool().tool] }, { personality })
    await world.say('Look at everything')
    expect(refusalsOf(standIn)).toEqual([])
    expect(cache.share()).toBeGreaterThan(0.9)
  })

  it('gives it over 10 runs of one conversation in two processes', { timeout: 30_000 }, async () => {
    const { wired, standIn, cache, bodies } = wire(model, callingTool(2))
    for (let number = 0; number < 10; number += 1) {
      await using world = await openWorld(wired, { home, tools: [lookTool().tool] }, { personality })
      expect(await world.say(`Question ${number}`)).toMatchObject({ success: true })
    }
    expect([refusalsOf(standIn), cache.requests.length]).toEqual([[], 30])
    expect(cache.share()).toBeGreaterThan(0.9)
    expect(JSON.stringify(bodies())).not.toContain('homeward')
  })
})

it.each(['anthropic/claude-sonnet-5', 'openrouter/anthropic/claude-sonnet-5'] as const)(
  'reads tools and instructions of %s from the cache also after a conversation was summed up',
  async (model) => {
    const { wired, cache, bodies } = wire(model)
    const options = { tools: [lookTool().tool], compaction: true, historyTokens: 400 }
    await using world = await openWorld(wired, options, { personality })
    for (let number = 0; number < 6; number += 1) await world.say(`Question ${number} ${'words '.repeat(60)}`)
    const isSummary = bodies().map((body) => (body as Fields)['tools'] === undefined)
    expect(isSummary).toContain(true)
    expect(JSON.stringify(bodies().at(-1))).toContain('<summary>')
    const asked = cache.requests.filter((_, index) => index > 0 && !isSummary[index])
    expect(Math.min(...asked.map(({ cacheRead }) => cacheRead))).toBeGreaterThan(1024)
  },
)

it('lets an agent choose how long Anthropic keeps a prefix, or turn caching off', async () => {
  const tools = [lookTool().tool]
  for (const model of ['anthropic/claude-sonnet-5', 'openrouter/anthropic/claude-sonnet-5'] as const) {
    for (const [prompt_cache, mark] of [
      [undefined, { type: 'ephemeral' }],
      ['5m', { type: 'ephemeral' }],
      ['1h', { type: 'ephemeral', ttl: '1h' }],
      ['off', undefined],
    ] as const) {
      const { wired, bodies } = wire(model)
      await using world = await openWorld(wired, { tools }, { ...(prompt_cache && { prompt_cache }) })
      await world.say('Hello')
      const [body] = bodies() as unknown as [{ tools: Fields[]; messages: { content: Fields[] }[] }]
      expect(body.tools.at(-1)?.['cache_control'], `${model} ${prompt_cache}`).toEqual(mark)
      expect(body.tools[0]).toEqual(expect.not.objectContaining({ cache_control: expect.anything() }))
      expect(marksIn(body as unknown as Json)).toBe(mark ? 3 : 0)
      if (mark) expect(body.messages.at(-1)?.content.at(-1)?.['cache_control']).toEqual(mark)
    }
  }
})

it('gives OpenAI a key for each agent and conversation, without their ids', async () => {
  const keyOf = async (prompt_cache: '5m' | 'off', ...conversations: string[]) => {
    const { wired, bodies } = wire('openai/gpt-6-sol')
    await using world = await openWorld(wired, {}, { prompt_cache })
    for (const conversation_id of conversations)
      await world.runtime.run({ agent_id: 'helper', task: 'Hi', conversation_id })
    return bodies().map((body) => (body as Fields)['prompt_cache_key'])
  }
  const [first, second, other] = await keyOf('5m', 'chat-one', 'chat-one', 'chat-two')
  expect(first).toMatch(/^[0-9a-f]{32}$/)
  expect(second).toBe(first)
  expect(other).not.toBe(first)
  expect(await keyOf('5m', 'chat-one')).toEqual([first])
  expect(await keyOf('off', 'chat-one')).toEqual([undefined])
})

it('marks what stays the same before the part of the caller, which changes', async () => {
  const { wired, bodies } = wire('anthropic/claude-sonnet-5')
  await using world = await openWorld(wired, {}, { personality: 'You help.' })
  const { result } = await world.runtime.runs.start(
    { agent_id: 'helper', task: 'Hi' },
    { instructions: 'Today is Monday.' },
  )
  expect(await result).toMatchObject({ success: true })
  const [body] = bodies() as unknown as [{ system: Fields[] }]
  expect(body.system).toHaveLength(2)
  expect(body.system[0]).toMatchObject({ cache_control: { type: 'ephemeral' } })
  expect(body.system[1]).toEqual({ type: 'text', text: 'Today is Monday.' })
})

it("caches for models of the host's own, by the package that made them", async () => {
  const anthropic = createMockAnthropicProvider()
  const openai = createMockResponsesProvider()
  const models = {
    claude: createAnthropic({ apiKey: 'k', fetch: anthropic.fetch }),
    gpt: createOpenAI({ apiKey: 'k', fetch: openai.fetch }),
  }
  await using runtime = createRuntime({ environment: {}, models })
  for (const provider of Object.keys(models)) {
    await runtime.agents.create({ id: provider, model: `${provider}/some-model` })
    await runtime.run({ agent_id: provider, task: 'Hello', store: false })
  }
  expect(anthropic.requests.map(({ body }) => marksIn(body) > 0)).toEqual([true])
  expect(openai.requests.map(({ body }) => (body as Fields)['prompt_cache_key'])).toEqual([
    expect.stringMatching(/^[0-9a-f]{32}$/),
  ])
})

it('sends neither marks nor keys to servers that do not know them', async () => {
  const standIn = createMockChatProvider()
  const hosts = { 'gpu.example': standIn, 'openrouter.ai': standIn }
  for (const model of ['openai-chat/local', 'openrouter/mistral/large']) {
    const given = { ...environment, OPENAI_BASE_URL: 'http://gpu.example/v1' }
    await using world = await openWorld({ model, hosts, environment: given })
    await world.say('Hello')
  }
  expect(standIn.requests).toHaveLength(2)
  for (const { body } of standIn.requests) {
    expect(JSON.stringify(body)).not.toMatch(/cache|homeward/)
    expect((body as { messages: Fields[] }).messages[1]?.['content']).toBe('Hello')
  }
})
