import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, streamText, type LanguageModel } from 'ai'
import { describe, expect, it } from 'vitest'
import { createRuntime } from '../../runtime/create-runtime.ts'
import { createScriptedModel, type ScriptedResponse } from '../../testing/scripted-model.ts'
import { startPlatform } from '../testing/start-platform.ts'

async function startWith(steps: readonly ScriptedResponse[]) {
  const model = createScriptedModel(steps)
  const platform = await startPlatform('over HTTP', {
    models: { mine: () => model },
    retry: { attempts: 0 },
  })
  await platform.runtime.agents.create({ id: 'helper', model: 'mine/any' })
  return Object.assign(platform, { model, baseURL: `${platform.url}/v1` })
}

const clients: [string, (baseURL: string) => LanguageModel][] = [
  [
    'the OpenAI-compatible provider',
    (baseURL) => createOpenAICompatible({ name: 'homeward', baseURL })('helper'),
  ],
  ['the provider of Responses', (baseURL) => createOpenAI({ apiKey: 'any', baseURL }).responses('helper')],
  ['the provider of Chat Completions', (baseURL) => createOpenAI({ apiKey: 'any', baseURL }).chat('helper')],
]

describe.each(clients)('%s of the AI SDK', (name, toModel) => {
  const messages = [
    { role: 'user' as const, content: 'I am Ann.' },
    { role: 'assistant' as const, content: 'Hello Ann.' },
    { role: 'user' as const, content: 'Who am I?' },
  ]

  it('gets the whole answer to its messages', async () => {
    await using platform = await startWith([{ text: 'Ann.' }])
    const model = toModel(platform.baseURL)
    const answer = await generateText({ model, system: 'Be brief.', messages, maxRetries: 0 })
    expect(answer).toMatchObject({ text: 'Ann.', finishReason: 'stop' })
    expect(answer.usage).toMatchObject({ inputTokens: 10, outputTokens: 5 })
    expect(platform.model.calls[0]?.prompt.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'user',
    ])
    expect(platform.model.calls[0]?.prompt[0]?.content).toMatch(/Be brief\.$/)
  })

  it('continues with the messages that it was given, for the same user only', async () => {
    await using platform = await startWith([{ text: 'Hello Ann.' }, { text: 'Ann.' }])
    const model = toModel(platform.baseURL)
    const start = messages.slice(0, 1)
    const first = await generateText({ model, messages: start, maxRetries: 0 })
    const next = [...start, ...first.response.messages, messages[2]!]
    const second = await generateText({ model, messages: next, maxRetries: 0 })
    expect(second.text).toBe('Ann.')
    expect(platform.model.calls[1]?.prompt[2]).toMatchObject({
      role: 'assistant',
      content: [{ type: 'text', text: 'Hello Ann.' }],
    })
    const ofOther = { openai: { user: 'u2' } }
    if (name.includes('Responses'))
      await expect(
        generateText({ model, messages: next, maxRetries: 0, providerOptions: ofOther }),
      ).rejects.toThrow('not of a stored response of this model for this user')
  })

  it('gets the answer as it comes', async () => {
    await using platform = await startWith([{ text: ['An', 'n.'] }])
    const stream = streamText({ model: toModel(platform.baseURL), messages, maxRetries: 0 })
    expect(await Array.fromAsync(stream.textStream)).toEqual(['An', 'n.'])
    expect(await stream.finishReason).toBe('stop')
  })
})

describe('a runtime whose provider is another agent platform', () => {
  it('asks its agent through OPENAI_BASE_URL, and sends the conversation along', async () => {
    await using platform = await startWith([{ text: 'Noted.' }, { text: 'Ann.' }])
    await using outer = createRuntime({
      environment: { OPENAI_BASE_URL: platform.baseURL, OPENAI_API_KEY: 'any' },
    })
    // an agent of the other side has its own tools, and accepts none
    await outer.agents.create({ id: 'asker', model: 'openai/helper', tools: ['none'] })
    const first = await outer.run({ agent_id: 'asker', task: 'I am Ann.', conversation_id: 'c' })
    expect(first).toMatchObject({ success: true, output: 'Noted.' })
    const second = await outer.run({ agent_id: 'asker', task: 'Who am I?', conversation_id: 'c' })
    expect(second).toMatchObject({ success: true, output: 'Ann.', usage: { input_tokens: 10 } })
    expect(platform.model.calls[1]?.prompt.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'user',
    ])
  })
})
