import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, Output, type LanguageModel } from 'ai'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createScriptedModel } from '../../testing/scripted-model.ts'
import { startPlatform } from '../testing/start-platform.ts'

const schema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}
const valid = '{"city":"Vienna"}'

async function startWith(texts: readonly string[], agent = {}) {
  const model = createScriptedModel(texts.map((text) => ({ text: [...text.match(/.{1,5}/g)!] })))
  const platform = await startPlatform('over HTTP', { models: { mine: () => model } })
  await platform.runtime.agents.create({ id: 'helper', model: 'mine/any', ...agent })
  const baseURL = `${platform.url}/v1`
  const openai = new OpenAI({ apiKey: 'any', baseURL, maxRetries: 0 })
  return Object.assign(platform, { model, openai, baseURL })
}

const chat = { model: 'helper', messages: [{ role: 'user' as const, content: 'Where?' }] }
const format = { type: 'json_schema' as const, json_schema: { name: 'place', schema, strict: true } }
const clients: [string, (baseURL: string) => LanguageModel][] = [
  [
    'chat completions',
    (baseURL) =>
      createOpenAICompatible({ name: 'homeward', baseURL, supportsStructuredOutputs: true })('helper'),
  ],
  ['responses', (baseURL) => createOpenAI({ apiKey: 'any', baseURL }).responses('helper')],
]

describe('structured output below /v1', () => {
  it('matches the schema of a chat completion, and is streamed once it does', async () => {
    await using platform = await startWith(['Vienna', valid, 'Vienna', valid])
    const completion = await platform.openai.chat.completions.create({ ...chat, response_format: format })
    expect(completion.choices[0]?.message.content).toBe(valid)
    const stream = await platform.openai.chat.completions.create({
      ...chat,
      response_format: format,
      stream: true,
    })
    const deltas = (await Array.fromAsync(stream)).map(({ choices: [choice] }) => choice?.delta.content ?? '')
    expect(deltas.join('')).toBe(valid)
  })

  it('matches the schema of a response, or of the agent', async () => {
    await using platform = await startWith(['No.', valid, '[1]', '{"a":1}', 'No.', valid], {
      output_schema: schema,
    })
    const { responses } = platform.openai
    const own = await responses.create({ model: 'helper', input: 'Where?', stream: true })
    const events = await Array.fromAsync(own)
    expect(events.at(-1)).toMatchObject({ type: 'response.completed' })
    expect(events.filter(({ type }) => type === 'response.output_text.delta')).toMatchObject([
      { delta: valid },
    ])
    const text = { format: { type: 'json_object' as const } }
    const anyObject = await responses.create({ model: 'helper', input: 'Where?', text })
    expect(anyObject).toMatchObject({ output_text: '{"a":1}', text })
    const named = { format: { type: 'json_schema' as const, name: 'place', schema } }
    expect((await responses.create({ model: 'helper', input: 'Where?', text: named })).output_text).toBe(
      valid,
    )
  })

  it.each(clients)('is what the AI SDK asks for by %s', async (_, toModel) => {
    await using platform = await startWith([valid])
    const { output } = await generateText({
      model: toModel(platform.baseURL),
      prompt: 'Where?',
      maxRetries: 0,
      output: Output.object({ schema: z.object({ city: z.string() }) }),
    })
    expect(output).toEqual({ city: 'Vienna' })
    // a model of one's own gets the schema in words
    expect(JSON.stringify(platform.model.calls[0]?.prompt)).toContain('city')
  })

  it('is an error if the model does not get it right', async () => {
    await using platform = await startWith(['a', 'b', 'c'])
    const body = { ...chat, response_format: format }
    const answer = await platform.send('POST', '/v1/chat/completions', { body })
    expect([answer.status, answer.body.error.code]).toEqual([502, 'output_invalid'])
  })

  it.each([
    ['response_format.type', { type: 'grammar' }],
    ['response_format', { type: 'json_schema' }],
    ['response_format', { type: 'json_schema', json_schema: { name: 'x', schema: 'text' } }],
  ])('rejects %s %j', async (param, response_format) => {
    await using platform = await startWith([])
    const answer = await platform.send('POST', '/v1/chat/completions', { body: { ...chat, response_format } })
    expect([answer.status, answer.body.error.param]).toEqual([400, param])
  })
})
