import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogle } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { expect, it } from 'vitest'
import { loadPromptFiles } from '../../files/load-prompt-files.ts'
import type { FileReference } from '../../ports/file.ts'
import type { ModelMessage } from '../../ports/message.ts'
import type { Model } from '../../ports/model.ts'
import { toPromptMessage } from '../../runs/loop/prompt.ts'
import { createMockAnthropicProvider } from '../../testing/providers/mock-anthropic-provider.ts'
import { createMockChatProvider } from '../../testing/providers/mock-chat-provider.ts'
import { createMockGoogleProvider } from '../../testing/providers/mock-google-provider.ts'
import type { MockProvider } from '../../testing/providers/mock-provider.ts'
import { createMockResponsesProvider } from '../../testing/providers/mock-responses-provider.ts'
import { fitModel } from './fit-model.ts'
import { geminiRules, hostRules, wireRules, type WireRules } from './wire-rules.ts'

const bytes = new TextEncoder().encode('the bytes of the file')
const base64 = Buffer.from(bytes).toString('base64')
const apiKey = 'key'
/** Before a file that follows its result. */
const label = '[chart.png, from draw]'

const fileOf = (name: string, media_type: string): FileReference => ({
  id: name,
  name,
  media_type,
  bytes: bytes.length,
  sha256: '0'.repeat(64),
})
const chart = fileOf('chart.png', 'image/png')

/** What the model reads after a call whose result is a file. */
async function promptOf(file: FileReference): Promise<LanguageModelV4Prompt> {
  const content = [
    { type: 'text', text: 'Here it is.' },
    { type: 'file', ...file },
  ]
  const messages: ModelMessage[] = [
    { role: 'user', text: 'Draw.' },
    { role: 'assistant', parts: [{ type: 'tool_call', id: 'call_1', name: 'draw', args: {} }] },
    { role: 'tool', results: [{ id: 'call_1', name: 'draw', result: { content }, files: [file] }] },
  ]
  const store = {
    findFile: async () => ({ ...file, content: bytes, createdAt: '' }),
  }
  const told = messages.map((message) => toPromptMessage(message, (id) => id))
  return loadPromptFiles(store, told, new AbortController().signal)
}

const draw = { type: 'function', name: 'draw', inputSchema: { type: 'object' } } as const

async function sent(standIn: MockProvider, model: Model, rules: WireRules, file = chart) {
  await fitModel(model, rules).doStream({
    prompt: await promptOf(file),
    tools: [draw],
    providerOptions: { openai: { store: false } },
  })
  const [request] = standIn.requests
  expect(request?.refusal).toBeUndefined()
  return request?.body as { [field: string]: { [field: string]: unknown }[] }
}

const anthropic = (file?: FileReference) => {
  const standIn = createMockAnthropicProvider()
  const model = createAnthropic({ apiKey, fetch: standIn.fetch })('claude-sonnet-5')
  return sent(standIn, model, wireRules('anthropic', 'anthropic'), file)
}

const gemini = (id: string, file?: FileReference) => {
  const standIn = createMockGoogleProvider()
  return sent(standIn, createGoogle({ apiKey, fetch: standIn.fetch })(id), geminiRules(id), file)
}

const chat = (file?: FileReference, rules = wireRules('openai-chat', 'local')) => {
  const standIn = createMockChatProvider({ alternates: true })
  const baseURL = 'http://provider.example/v1'
  const create = createOpenAICompatible({ name: 'local', baseURL, apiKey, fetch: standIn.fetch })
  return sent(standIn, create('some-model'), rules, file)
}

it('sends a picture of a tool to Anthropic in the result', async () => {
  const { messages } = await anthropic()
  expect(messages?.at(-1)?.['content']).toEqual([
    {
      type: 'tool_result',
      tool_use_id: 'call_1',
      content: [
        { type: 'text', text: 'Here it is.' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: base64 } },
      ],
    },
  ])
})

it('sends a picture of a tool to the Responses API in the output', async () => {
  const standIn = createMockResponsesProvider()
  const model = createOpenAI({ apiKey, fetch: standIn.fetch }).responses('gpt-6-sol')
  const { input } = await sent(standIn, model, wireRules('openai-responses', 'openai'))
  expect(input?.at(-1)?.['output']).toEqual([
    { type: 'input_text', text: 'Here it is.' },
    { type: 'input_image', image_url: `data:image/png;base64,${base64}` },
  ])
})

it('sends a picture of a tool to Gemini 3 in the response', async () => {
  const { contents } = await gemini('gemini-3-pro')
  expect(contents?.at(-1)?.['parts']).toEqual([
    {
      functionResponse: {
        id: 'call_1',
        name: 'draw',
        response: { name: 'draw', content: 'Here it is.' },
        parts: [{ inlineData: { mimeType: 'image/png', data: base64 } }],
      },
    },
  ])
})

it('sends a picture of a tool to older Gemini models after the response', async () => {
  const { contents } = await gemini('gemini-2.5-flash')
  expect(contents?.at(-2)?.['parts']).toMatchObject([{ functionResponse: { id: 'call_1' } }])
  expect(contents?.at(-1)).toEqual({
    role: 'user',
    parts: [{ text: label }, { inlineData: { mimeType: 'image/png', data: base64 } }],
  })
})

it.each<[string, WireRules]>([
  ['a chat server', wireRules('openai-chat', 'local')],
  ['OpenRouter', wireRules('openrouter', 'openrouter')],
  ["a host's chat model", { ...hostRules('mine', 'local.chat'), answersBeforeUser: true }],
])('sends a picture of a tool to %s in a message of its own, never as text', async (_, rules) => {
  const { messages } = await chat(chart, rules)
  const url = `data:image/png;base64,${base64}`
  const told = 'Here it is.\n[picture chart.png, image/png, 1 KB: in the next message]'
  expect(messages?.slice(-3)).toMatchObject([
    { role: 'tool', content: told },
    { role: 'assistant' },
    {
      role: 'user',
      content: [
        { type: 'text', text: label },
        { type: 'image_url', image_url: { url } },
      ],
    },
  ])
})

it('tells a model in words of a file of a tool that it cannot read, and goes on', async () => {
  const { messages } = await anthropic(fileOf('song.mp3', 'audio/mpeg'))
  expect(messages?.at(-1)?.['content']).toMatchObject([
    { content: 'Here it is.\n[sound song.mp3, audio/mpeg, 1 KB: this model cannot read it]' },
  ])
})

it('sends a text file of a tool as text', async () => {
  const { messages } = await chat(fileOf('rows.csv', 'text/csv'))
  const content = 'Here it is.\n<file name="rows.csv">\nthe bytes of the file\n</file>'
  expect(messages?.at(-1)).toMatchObject({ role: 'tool', content })
})

it('sends a picture of a tool along when the call offers no tools', async () => {
  const standIn = createMockChatProvider()
  const create = createOpenAICompatible({
    name: 'local',
    baseURL: 'http://p.example',
    apiKey,
    fetch: standIn.fetch,
  })
  await fitModel(create('m'), wireRules('openai-chat', 'local')).doStream({ prompt: await promptOf(chart) })
  expect(standIn.requests[0]?.refusal).toBeUndefined()
  expect(JSON.stringify(standIn.requests[0]?.body)).toContain(`"url":"data:image/png;base64,${base64}"`)
})
