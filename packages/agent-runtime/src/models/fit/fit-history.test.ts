import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogle } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { loadPromptFiles } from '../../files/load-prompt-files.ts'
import type { FileReference } from '../../ports/file.ts'
import type { AssistantPart, ModelMessage, ProviderData, ToolCallPart } from '../../ports/message.ts'
import type { Model } from '../../ports/model.ts'
import { toPromptMessage } from '../../runs/loop/prompt.ts'
import { createMockAnthropicProvider } from '../../testing/providers/mock-anthropic-provider.ts'
import { createMockChatProvider } from '../../testing/providers/mock-chat-provider.ts'
import { createMockGoogleProvider } from '../../testing/providers/mock-google-provider.ts'
import type { MockProvider } from '../../testing/providers/mock-provider.ts'
import { createMockResponsesProvider } from '../../testing/providers/mock-responses-provider.ts'
import { fitModel } from './fit-model.ts'
import { geminiRules, wireRules } from './wire-rules.ts'

const apiKey = 'key'
const baseURL = 'http://provider.example/v1'

/** Each wire with its stand-in and its real package. */
const wires: Readonly<Record<string, () => { readonly standIn: MockProvider; readonly model: Model }>> = {
  'openai-responses': () => {
    const standIn = createMockResponsesProvider()
    const model = createOpenAI({ apiKey, fetch: standIn.fetch }).responses('gpt-6-sol')
    return { standIn, model: fitModel(withoutStore(model), wireRules('openai-responses', 'openai')) }
  },
  anthropic: () => {
    const standIn = createMockAnthropicProvider()
    const model = createAnthropic({ apiKey, fetch: standIn.fetch })('claude-sonnet-5')
    return { standIn, model: fitModel(model, wireRules('anthropic', 'anthropic')) }
  },
  google: () => {
    const standIn = createMockGoogleProvider()
    const model = createGoogle({ apiKey, fetch: standIn.fetch })('gemini-3-pro')
    return { standIn, model: fitModel(model, geminiRules('gemini-3-pro')) }
  },
  'openai-chat': () => chat(createMockChatProvider()),
  'a template with alternating roles': () => chat(createMockChatProvider({ alternates: true })),
}

function chat(standIn: MockProvider) {
  const model = createOpenAICompatible({ name: 'local', baseURL, apiKey, fetch: standIn.fetch })('some-model')
  return { standIn, model: fitModel(model, wireRules('openai-chat', 'local')) }
}

/** As the runtime calls OpenAI: nothing is stored there. */
const withoutStore = (model: Model): Model => ({
  ...model,
  specificationVersion: model.specificationVersion,
  provider: model.provider,
  modelId: model.modelId,
  supportedUrls: {},
  doGenerate: (options) => model.doGenerate(options),
  doStream: (options) => model.doStream({ ...options, providerOptions: { openai: { store: false } } }),
})

const text = fc.oneof(
  fc.constantFrom('', ' ', '\n\n', '\t\u00a0', 'Hello', '{"a":1}'),
  fc.string({ maxLength: 20 }),
)
const callId = fc.oneof(
  fc.constantFrom('call_1', 'functions.look:0', '', 'x'.repeat(80), 'c 1', 'über'),
  fc.string({ minLength: 1, maxLength: 60 }),
)
const data = fc.constantFrom<ProviderData | undefined>(
  undefined,
  { anthropic: { signature: 'signed' } },
  { google: { thoughtSignature: 'signed' } },
  { openrouter: { reasoning_details: [] } },
  { homeward: { provider: 'local' } },
)
const args = fc.oneof(
  fc.constantFrom({}, 'no object', null, [1]),
  fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 1 })),
)
const toolName = fc.constantFrom('look', 'gone tool', 'weather.now')
const call: fc.Arbitrary<ToolCallPart> = fc
  .record({ id: callId, name: toolName, args: args as fc.Arbitrary<ToolCallPart['args']> })
  .map((made) => ({ type: 'tool_call', ...made }))
const stored = new Map<string, Uint8Array>()
const file = fc
  .record({
    id: fc.uuid(),
    name: fc.constantFrom('a.png', 'notes "1".txt', 'x'),
    media_type: fc.constantFrom('image/png', 'image/bmp', 'application/pdf', 'text/csv', 'audio/wav', 'x/y'),
  })
  .map((made): FileReference => {
    stored.set(made.id, new TextEncoder().encode('bytes'))
    return { ...made, bytes: 5, sha256: '0'.repeat(64) }
  })
const files = fc.array(file, { maxLength: 2 })
const part: fc.Arbitrary<AssistantPart> = fc.oneof(
  file.map((made): AssistantPart => ({ type: 'file', ...made })),
  fc
    .record({ text, data })
    .map(({ text, data }): AssistantPart => ({ type: 'text', text, ...(data && { provider_data: data }) })),
  fc.record({ text, data }).map(({ text, data }): AssistantPart => ({
    type: 'reasoning',
    text,
    ...(data && { provider_data: data }),
  })),
  call,
)
const result = fc.record({
  id: callId,
  name: toolName,
  value: fc.oneof(text, fc.jsonValue({ maxDepth: 1 })),
  isError: fc.boolean(),
  files,
})
const message: fc.Arbitrary<ModelMessage> = fc.oneof(
  fc.record({ role: fc.constant('user' as const), text, files }),
  fc.record({ role: fc.constant('assistant' as const), parts: fc.array(part, { maxLength: 4 }) }),
  fc.array(result, { minLength: 1, maxLength: 3 }).map((results): ModelMessage => ({
    role: 'tool',
    results: results.map(({ id, name, value, isError, files }) => ({
      id,
      name,
      ...(isError ? { error: JSON.stringify(value) } : { result: toContent(value, files), files }),
    })),
  })),
)

/** A result as tools return it: with some of its files in its content. */
const toContent = (value: unknown, files: readonly FileReference[]) => {
  const texts = [{ type: 'text', text: JSON.stringify(value) }]
  return (
    files.length > 0 ? { content: [...texts, ...files.slice(1).map((one) => ({ ...one }))] } : value
  ) as string
}

const wireName = (id: string) => id.replace(/[^A-Za-z0-9_-]/g, '_')
const store = {
  findFile: async (id: string) => {
    const content = stored.get(id)
    return content && { id, content, name: '', media_type: '', bytes: 5, sha256: '', createdAt: '' }
  },
}
const look = {
  type: 'function' as const,
  name: 'look',
  description: 'Looks.',
  inputSchema: { type: 'object' as const },
}

describe.each(Object.keys(wires))('a history sent to %s', (wire) => {
  it.each([true, false])('is accepted whatever it holds (with tools: %s)', async (hasTools) => {
    await fc.assert(
      fc.asyncProperty(fc.array(message, { maxLength: 8 }), text, async (history, task) => {
        const { standIn, model } = wires[wire]!()
        const told = [...history, { role: 'user', text: task } as const].map((each) =>
          toPromptMessage(each, wireName, true),
        )
        const prompt = await loadPromptFiles(store, told, new AbortController().signal)
        const options = hasTools ? { prompt, tools: [look] } : { prompt }
        const call = Promise.resolve(model.doStream({ ...options, maxOutputTokens: 100 }))
        const answer = await call.catch((error: unknown) => error)
        expect(standIn.requests.map(({ refusal }) => refusal)).toEqual([undefined])
        expect(answer).toHaveProperty('stream')
      }),
      { numRuns: 150 },
    )
  })
})
