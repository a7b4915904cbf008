import type { JSONValue, LanguageModelV4Prompt } from '@ai-sdk/provider'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogle } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { describe, expect, it } from 'vitest'
import type { Model } from '../../ports/model.ts'
import {
  createMockAnthropicProvider,
  createMockChatProvider,
  createMockGoogleProvider,
  createMockResponsesProvider,
  type MockChatProviderOptions,
} from '../index.ts'

const apiKey = 'key'
const say = (text: string) => ({ role: 'user' as const, content: [{ type: 'text' as const, text }] })
const answered = (text: string) => ({
  role: 'assistant' as const,
  content: [{ type: 'text' as const, text }],
})
const called = (toolCallId: string) => ({
  role: 'assistant' as const,
  content: [{ type: 'tool-call' as const, toolCallId, toolName: 'look', input: {} }],
})
const result = (toolCallId: string) => ({
  role: 'tool' as const,
  content: [
    {
      type: 'tool-result' as const,
      toolCallId,
      toolName: 'look',
      output: { type: 'text' as const, value: 'x' },
    },
  ],
})
const pages = [
  { url: 'https://a.example/', title: 'A', pageAge: null, encryptedContent: 'x', type: 'web_search_result' },
]
const searchTool = (id: `${string}.${string}`) => ({
  type: 'provider' as const,
  id,
  name: 'web_search',
  args: {},
})
/** A search of the provider, with its result if there is one. */
function searched(value?: JSONValue): LanguageModelV4Prompt[number] {
  const ids = { toolCallId: 'srvtoolu_1', toolName: 'web_search' }
  const call = { type: 'tool-call', ...ids, input: { query: 'x' }, providerExecuted: true } as const
  if (value === undefined) return { role: 'assistant', content: [call] }
  return {
    role: 'assistant',
    content: [call, { type: 'tool-result', ...ids, output: { type: 'json', value } }],
  }
}
const toolsOf = (inputSchema: object) => [{ type: 'function' as const, name: 'look', inputSchema }]
const tools = toolsOf({ type: 'object', properties: {} })

const anthropic = () => {
  const standIn = createMockAnthropicProvider()
  return { standIn, model: createAnthropic({ apiKey, fetch: standIn.fetch })('claude-sonnet-5') }
}
const google = () => {
  const standIn = createMockGoogleProvider()
  return { standIn, model: createGoogle({ apiKey, fetch: standIn.fetch })('gemini-3-pro') }
}
const responses = () => {
  const standIn = createMockResponsesProvider()
  return { standIn, model: createOpenAI({ apiKey, fetch: standIn.fetch }).responses('gpt-6-sol') }
}
const chat = (options: MockChatProviderOptions = {}) => {
  const standIn = createMockChatProvider(options)
  const create = createOpenAICompatible({
    name: 'local',
    baseURL: 'http://gpu.example/v1',
    fetch: standIn.fetch,
  })
  return { standIn, model: create('m') }
}

/** Why the service refuses a call of its real package. */
async function refusalOf(
  { standIn, model }: { readonly standIn: ReturnType<typeof createMockChatProvider>; readonly model: Model },
  prompt: LanguageModelV4Prompt,
  options: Partial<Parameters<Model['doStream']>[0]> = {},
): Promise<string | undefined> {
  await Promise.resolve(model.doStream({ prompt, ...options })).catch(() => {})
  return standIn.requests.at(-1)?.refusal
}

describe('a stand-in', () => {
  it.each<[string, () => ReturnType<typeof chat>, LanguageModelV4Prompt, object, RegExp]>([
    ['Anthropic: blank text', anthropic, [say('a'), answered('\n\n'), say('b')], {}, /non-whitespace/],
    [
      'Anthropic: ids of other providers',
      anthropic,
      [say('a'), called('functions.look:0'), result('functions.look:0')],
      { tools },
      /should match pattern/,
    ],
    [
      'Anthropic: a call without its result',
      anthropic,
      [say('a'), called('c'), say('b')],
      { tools },
      /without tool_result/,
    ],
    [
      'Anthropic: names of properties',
      anthropic,
      [say('a')],
      { tools: toolsOf({ type: 'object', properties: { 'StartTime<': {} } }) },
      /propert/i,
    ],
    [
      'Anthropic: a search without its result',
      anthropic,
      [say('a'), searched(), say('b')],
      { tools: [searchTool('anthropic.web_search_20260318')] },
      /has no web_search_tool_result/,
    ],
    [
      'Anthropic: a search that it did not make',
      anthropic,
      [say('a'), searched(pages), say('b')],
      { tools: [searchTool('anthropic.web_search_20260318')] },
      /invalid encrypted_content/,
    ],
    [
      'Anthropic: a search that is not offered',
      anthropic,
      [say('a'), searched(pages), say('b')],
      { tools },
      /to be defined/,
    ],
    [
      'OpenAI: a search that it did not make',
      responses,
      [say('a'), searched({ action: { type: 'search', query: 'x' } }), say('b')],
      { tools: [searchTool('openai.web_search')], providerOptions: { openai: { store: false } } },
      /is unknown/,
    ],
    ['Google: an answer as the last message', google, [say('a'), answered('b')], {}, /ends with a user turn/],
    ['OpenAI: storing', responses, [say('a')], {}, /store/],
    [
      'OpenAI: a result of no call',
      responses,
      [say('a'), result('c')],
      { tools, providerOptions: { openai: { store: false } } },
      /No tool call found/,
    ],
    [
      'a compatible server: long ids',
      chat,
      [say('a'), called('x'.repeat(80)), result('x'.repeat(80))],
      { tools },
      /at most 40/,
    ],
    [
      'a compatible server: a schema without properties',
      chat,
      [say('a')],
      { tools: toolsOf({ type: 'object' }) },
      /missing properties/,
    ],
    [
      'a template with alternating roles',
      () => chat({ alternates: true }),
      [say('a'), say('b')],
      {},
      /must alternate/,
    ],
    ['a small context', () => chat({ windowTokens: 100 }), [say('word '.repeat(200))], {}, /context size/],
    [
      'a model without tools',
      () => chat({ hasNoTools: true }),
      [say('a')],
      { tools },
      /does not support tools/,
    ],
    [
      'reasoning that is missing',
      () => chat({ wantsReasoning: true }),
      [say('a'), called('c'), result('c')],
      { tools },
      /reasoning_content/,
    ],
  ])('refuses what its service refuses: %s', async (_, create, prompt, options, refusal) => {
    expect(await refusalOf(create(), prompt, options)).toMatch(refusal)
  })

  it.each([
    ['Anthropic', anthropic, {}],
    ['Google', google, {}],
    ['OpenAI', responses, { providerOptions: { openai: { store: false } } }],
    ['a compatible server', chat, {}],
    [
      'Anthropic with its search',
      anthropic,
      { tools: [...tools, searchTool('anthropic.web_search_20260318')] },
    ],
    ['Google with its search', google, { tools: [...tools, searchTool('google.google_search')] }],
  ])('answers the rest: %s', async (_, create, options) => {
    expect(
      await refusalOf(create(), [say('a'), answered('b'), say('c')], { tools, ...options }),
    ).toBeUndefined()
  })
})

describe('the schema of an answer', () => {
  const open = { type: 'object', properties: { a: { type: 'string' } } }
  const closed = { ...open, additionalProperties: false }
  const prompt = [say('Hello')]
  const ask = (model: Model, schema: object, providerOptions = {}) =>
    model.doStream({ prompt, responseFormat: { type: 'json', schema }, providerOptions })

  it('has to be closed at OpenAI and Anthropic, and all of it required in strict mode', async () => {
    const openai = createOpenAI({ apiKey, fetch: createMockResponsesProvider().fetch }).responses('gpt-6-sol')
    const chat = createOpenAI({ apiKey, fetch: createMockChatProvider().fetch }).chat('gpt-5')
    const claude = createAnthropic({ apiKey, fetch: createMockAnthropicProvider().fetch })('claude-sonnet-5')
    const loose = { openai: { store: false, strictJsonSchema: false } }
    for (const model of [openai, chat]) {
      await expect(ask(model, open, loose)).rejects.toThrow('additionalProperties')
      await expect(ask(model, closed, { openai: { store: false } })).rejects.toThrow(
        "'required' must include 'a'",
      )
      await ask(model, closed, loose)
    }
    await ask(claude, closed)
    // an open map is asked for by a forced tool, which no model takes that thinks
    const old = createAnthropic({ apiKey, fetch: createMockAnthropicProvider().fetch })(
      'claude-3-7-sonnet-latest',
    )
    await ask(old, closed)
  })

  it('cannot be combined with tools by an older Gemini', async () => {
    const standIn = createMockGoogleProvider()
    const body = {
      contents: [{ role: 'user', parts: [{ text: 'x' }] }],
      tools: [],
      generationConfig: { responseMimeType: 'application/json' },
    }
    const send = (model: string) =>
      standIn.fetch(`https://g.example/v1beta/models/${model}:streamGenerateContent`, {
        method: 'POST',
        body: JSON.stringify(body),
      })
    expect([(await send('gemini-2.5-pro')).status, (await send('gemini-3-pro')).status]).toEqual([400, 200])
  })
})
