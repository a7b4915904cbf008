import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider'
import { describe, expect, it } from 'vitest'
import { fitMessages } from './fit-messages.ts'
import { ownHosted } from './hosted-parts.ts'
import { wireRules } from './wire-rules.ts'

type Assistant = Extract<LanguageModelV4Message, { role: 'assistant' }>
const ids = { toolCallId: 's1', toolName: 'web_search', providerOptions: ownHosted('anthropic') }
const call = { type: 'tool-call', ...ids, input: { query: 'x' }, providerExecuted: true } as const
const result = {
  type: 'tool-result',
  ...ids,
  output: { type: 'json', value: [{ url: 'https://a.example/', encryptedContent: 'secret' }] },
} as const
const answer = { type: 'text', text: 'Found.' } as const
const say = (text: string): LanguageModelV4Message => ({ role: 'user', content: [{ type: 'text', text }] })

/** The parts of the first answer, as a provider gets them. */
function fitted(
  content: Assistant['content'],
  owner: string | undefined,
  after: LanguageModelV4Prompt = [say('b')],
) {
  const prompt = [say('a'), { role: 'assistant', content } as const, ...after]
  const fit = fitMessages(prompt, wireRules('anthropic', 'anthropic'), owner)
  return fit[1]?.role === 'assistant'
    ? fit[1].content.map((part) => (part.type === 'text' ? part.text : part))
    : []
}

const told = [
  '[Called web_search with {"query":"x"}]\n',
  '[Result of web_search: [{"url":"https://a.example/"}]]\n',
]

describe('A21: parts of hosted tools', () => {
  it('go back whole to the provider that ran them, without the note of the runtime', () => {
    const { providerOptions: _, ...plain } = call
    const { providerOptions: __, ...plainResult } = result
    expect(fitted([call, result, answer], 'anthropic')).toEqual([plain, plainResult, 'Found.'])
  })

  it('are told in words to another provider, and to a call that does not offer them', () => {
    for (const owner of ['google', undefined]) {
      expect(fitted([call, result, answer], owner)).toEqual([...told, 'Found.'])
    }
  })

  it('are told in words if the other half is missing', () => {
    expect(fitted([call, answer], 'anthropic')).toEqual([told[0], 'Found.'])
    expect(fitted([result, answer], 'anthropic')).toEqual([told[1], 'Found.'])
  })

  it('take the reasoning before them along when they are told in words', () => {
    const providerOptions = { anthropic: { signature: 'x' } }
    const reasoning = { type: 'reasoning', text: 'Hm.', providerOptions } as const
    expect(fitted([reasoning, call, result, answer], undefined)).toEqual([...told, 'Found.'])
  })

  it('stay last in the prompt when the provider paused in the middle of them', () => {
    const fit = fitMessages(
      [say('a'), { role: 'assistant', content: [call] }],
      wireRules('anthropic', 'anthropic'),
      'anthropic',
    )
    expect(fit.map(({ role }) => role)).toEqual(['user', 'assistant'])
  })
})
