import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, type LanguageModel } from 'ai'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { createScriptedModel } from '../../testing/scripted-model.ts'
import { startPlatform } from '../testing/start-platform.ts'

/** A PNG of one pixel, as far as anybody looks. */
const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13)
const data = Buffer.from(png).toString('base64')
const url = `data:image/png;base64,${data}`
const remote = 'https://example.com/a.png'

/** Files that a model got: media type, name and base64. */
const filesIn = (prompt: LanguageModelV4Prompt) =>
  prompt.flatMap(({ content }) =>
    typeof content === 'string'
      ? []
      : content.flatMap((part) =>
          part.type === 'file' && part.data.type === 'data'
            ? [[part.mediaType, Buffer.from(part.data.data as Uint8Array).toString('base64')]]
            : [],
        ),
  )

async function start() {
  const answers = Array.from({ length: 4 }, () => ({ text: 'A cat.' }))
  const model = createScriptedModel(answers)
  const platform = await startPlatform('over HTTP', { models: { mine: () => model } })
  await platform.runtime.agents.create({ id: 'helper', model: 'mine/any' })
  const baseURL = `${platform.url}/v1`
  const openai = new OpenAI({ apiKey: 'any', baseURL, maxRetries: 0 })
  return Object.assign(platform, { model, openai, baseURL })
}

const clients: [string, (baseURL: string) => LanguageModel][] = [
  ['chat completions', (baseURL) => createOpenAICompatible({ name: 'homeward', baseURL })('helper')],
  ['responses', (baseURL) => createOpenAI({ apiKey: 'any', baseURL }).responses('helper')],
]

describe('files in requests below /v1', () => {
  it('reach the model from a chat completion, those of earlier messages too', async () => {
    await using platform = await start()
    const completion = await platform.openai.chat.completions.create({
      model: 'helper',
      messages: [
        { role: 'user', content: [{ type: 'file', file: { filename: 'a.pdf', file_data: data } }] },
        { role: 'assistant', content: 'A picture.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'And this?' },
            { type: 'image_url', image_url: { url } },
            { type: 'input_audio', input_audio: { data, format: 'mp3' } },
          ],
        },
      ],
    })
    expect(completion.choices[0]?.message.content).toBe('A cat.')
    expect(filesIn(platform.model.calls[0]!.prompt)).toEqual([
      ['image/png', data], // the bytes say what it is
      ['image/png', data],
      ['audio/mpeg', data],
    ])
  })

  it('reach the model from a response, without a word too', async () => {
    await using platform = await start()
    const response = await platform.openai.responses.create({
      model: 'helper',
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_image', image_url: url, detail: 'auto' },
            { type: 'input_file', filename: 'b.csv', file_data: 'data:text/csv,a%2Cb' },
          ],
        },
      ],
    })
    expect(response.output_text).toBe('A cat.')
    expect(filesIn(platform.model.calls[0]!.prompt)[0]).toEqual(['image/png', data])
    expect((await platform.runtime.runs.list()).runs[0]?.task).toBe('file, b.csv')
  })

  it.each(clients)('come from the AI SDK by %s', async (_, toModel) => {
    await using platform = await start()
    const content = [
      { type: 'text' as const, text: 'What is it?' },
      { type: 'file' as const, data: png, mediaType: 'image/png' },
    ]
    const model = toModel(platform.baseURL)
    const { text } = await generateText({ model, messages: [{ role: 'user', content }], maxRetries: 0 })
    expect(text).toBe('A cat.')
    expect(filesIn(platform.model.calls[0]!.prompt)).toEqual([['image/png', data]])
  })

  it.each([
    ['image_url', { image_url: { url: remote } }],
    ['image_url', {}],
    ['image_url', { image_url: { url: 'data:image/png;base64,%%%' } }],
    ['image_url', { image_url: { url: 'data:image/png;base64,' } }],
    ['image_url', { image_url: { url: 'data:not a type;base64,QUJD' } }],
    ['input_image', { image_url: remote }],
    ['input_image', { file_id: 'file_1' }],
    ['input_file', { file_url: remote }],
    ['file', { file: { file_id: 'file_1' } }],
    ['file', { file: { file_data: remote } }],
    ['input_audio', { input_audio: { data: '', format: 'wav' } }],
    ['input_audio', { input_audio: { data, format: '../x' } }],
  ])('are rejected as %s with %j, and never fetched', async (type, fields) => {
    await using platform = await start()
    const body = { model: 'helper', messages: [{ role: 'user', content: [{ type, ...fields }] }] }
    const answer = await platform.send('POST', '/v1/chat/completions', { body })
    expect(answer.status).toBe(400)
    expect(answer.body.error.param).toMatch(/^messages\[0\]\.content\[0\]/)
    expect(platform.model.calls).toEqual([])
  })

  it('are accepted from the user only', async () => {
    await using platform = await start()
    const messages = [
      { role: 'assistant', content: [{ type: 'image_url', image_url: { url } }] },
      { role: 'user', content: 'Hello' },
    ]
    const answer = await platform.send('POST', '/v1/chat/completions', {
      body: { model: 'helper', messages },
    })
    expect([answer.status, answer.body.error.param]).toEqual([400, 'messages[0]'])
  })
})
