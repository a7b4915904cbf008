import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { createRuntime, type Tool } from '../index.ts'
import {
  createMockAnthropicProvider,
  createMockChatProvider,
  createMockGoogleProvider,
  createMockResponsesProvider,
  type MockProviderResponse,
} from '../testing/index.ts'
import { fetchTo, refusalsOf } from './testing/provider-world.ts'

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 })
const calls = fc.array(
  fc.record({
    name: fc.constantFrom('look', 'shot', 'gone'),
    args: fc.constant({}),
    id: fc.constantFrom(undefined, 'functions.look:0', 'x'.repeat(80), 'a|b'),
  }),
  { minLength: 1, maxLength: 2 },
)
const search = fc.constantFrom(
  { query: 'q', results: [{ url: 'https://a.example/', title: 'A' }] },
  { query: 'q', results: [], error: 'max_uses_exceeded' },
)
const answer = fc.record({
  reasoning: maybe(fc.constantFrom('Hm.', '\n')),
  text: maybe(fc.constantFrom('Hello', '\n\n', '', '{"a":1}', 'half \ud83d')),
  calls: maybe(calls),
  searches: maybe(fc.tuple(search)),
  pauses: maybe(fc.constant(true)),
})

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
const types = ['image/png', 'application/pdf', 'text/csv', 'audio/wav', 'image/svg+xml']
const searching = [
  'openai/gpt-6-sol',
  'anthropic/claude-sonnet-5',
  'google/gemini-3-pro',
  'google/gemini-2.5-flash',
]
const others = [
  'openai-chat/gpt-5',
  'openrouter/some/model',
  'openrouter/anthropic/claude-sonnet-4.5',
  'turns/any',
]
const schema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] }
const message = fc.record({
  model: fc.constantFrom(...searching, ...others),
  fallback: maybe(fc.constantFrom(...searching, ...others)),
  searches: fc.boolean(),
  isChecked: maybe(fc.constant(schema)),
  answers: fc.array(answer, { minLength: 1, maxLength: 4 }),
  type: maybe(fc.constantFrom(...types)),
  maxTurns: fc.constantFrom(1, 2, 4),
  context: fc.constantFrom(null, { window_tokens: 4000 }),
})

const defaults = {
  description: 'A tool.',
  inputSchema: {},
  effects: 'read',
  idempotent: true,
  returnsUntrustedContent: false,
} as const

/** Every provider, each refusing what the real one refuses. */
function createProviders(next: () => MockProviderResponse) {
  const options = { answer: next }
  const all = {
    responses: createMockResponsesProvider(options),
    chat: createMockChatProvider(options),
    anthropic: createMockAnthropicProvider(options),
    google: createMockGoogleProvider(options),
    router: createMockChatProvider(options),
    turns: createMockChatProvider({ ...options, alternates: true }),
  }
  const openai: typeof fetch = (input, init) => {
    const url = input instanceof Request ? input.url : String(input)
    return (url.endsWith('/responses') ? all.responses : all.chat).fetch(input, init)
  }
  const hosts = {
    'api.openai.com': { fetch: openai },
    'api.anthropic.com': all.anthropic,
    'generativelanguage.googleapis.com': all.google,
    'openrouter.ai': all.router,
    'turns.example': all.turns,
  }
  return { fetch: fetchTo(hosts), refusals: () => Object.values(all).flatMap(refusalsOf) }
}

const environment = {
  OPENAI_API_KEY: 'sk-1',
  ANTHROPIC_API_KEY: 'sk-2',
  GOOGLE_API_KEY: 'sk-3',
  OPENROUTER_API_KEY: 'sk-4',
}

it(
  'A21: every provider accepts a conversation that any others have begun',
  { timeout: 120_000 },
  async () => {
    const property = fc.asyncProperty(fc.array(message, { minLength: 2, maxLength: 8 }), async (messages) => {
      let left: MockProviderResponse[] = []
      const { fetch, refusals } = createProviders(() => left.shift() ?? { text: '{"a":1}' })
      const shot = { content: [{ type: 'file', media_type: 'image/png', data: png }] } as const
      const tools: Tool[] = [
        { ...defaults, id: 'look', execute: async () => ({ ok: true }) },
        { ...defaults, id: 'shot', execute: async () => shot },
      ]
      await using runtime = createRuntime({
        environment,
        fetch,
        tools,
        compaction: false,
        retry: { baseMs: 0 },
      })
      await runtime.models.saveProvider('turns', { api: 'openai-chat', base_url: 'http://turns.example/v1' })
      await runtime.agents.create({ id: 'a', model: 'turns/any' })
      for (const { model, fallback, searches, isChecked, answers, type, maxTurns, context } of messages) {
        left = answers.map((each) => ({ ...each }) as MockProviderResponse) // an absent field may be undefined
        await runtime.agents.update('a', {
          model,
          fallback_models: fallback === undefined ? null : [fallback],
          hosted_tools: searches && searching.includes(model) ? ['web_search'] : null,
          output_schema: isChecked ?? null,
          limits: { max_turns: maxTurns },
          context,
        })
        const files = type === undefined ? [] : [{ name: 'file', media_type: type, data: png }]
        const run = runtime.run({ agent_id: 'a', task: 'Go on', conversation_id: 'c', files })
        const { code, error } = await run.catch((cause: unknown) => cause as { code: string; error?: string })
        expect(refusals()).toEqual([])
        expect([undefined, 'output_invalid', 'validation_error'], error).toContain(code)
      }
    })
    await fc.assert(property, { numRuns: 25 })
  },
)
