import { expect, it } from 'vitest'
import { parseModelName } from './parse-model-name.ts'

it.each([
  ['openai/gpt-5', undefined, 'openai', 'gpt-5'],
  ['openrouter/meta/llama-4:free', undefined, 'openrouter', 'meta/llama-4:free'],
  ['gpt-5', 'openai', 'openai', 'gpt-5'],
  ['openai/gpt-5', 'openai', 'openai', 'gpt-5'],
  ['meta/llama', 'openrouter', 'openrouter', 'meta/llama'],
  [' test/echo ', undefined, 'test', 'echo'],
])('A3: %s with the provider %s leads to %s and %s', (name, provider, expected, modelId) => {
  expect(parseModelName(name, provider, [])).toEqual({ provider: expected, modelId })
})

it.each(['gpt-5', '/gpt-5', 'openai/', '', '/'])(
  'refuses %j, which names no provider or no model',
  (name) => {
    expect(() => parseModelName(name, undefined, ['openai', 'mine'])).toThrow(
      /^Choosing the model failed: .*has no provider\. Use the form "provider\/model-id", .* Providers: openai, mine\.$/,
    )
  },
)

it('refuses a name that is nothing but its provider', () => {
  expect(() => parseModelName('openai/', 'openai', [])).toThrow(/Choosing the model/)
})
