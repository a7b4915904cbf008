import { http, HttpResponse } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import type { Settings } from '@homeward/contract/agent-platform'
import { createTranscriber } from './transcriber.ts'

const server = setupServer()
beforeAll(() => server.listen({ onUnhandledFrame: 'error' }))
afterEach(() => server.resetHandlers())
afterAll(() => server.close())

const recording = { content: Uint8Array.of(1, 2, 3), mediaType: 'audio/ogg' }
const { signal } = new AbortController()
const own = { name: 'near', api: 'openai-chat', base_url: 'http://127.0.0.1:11434/v1' } as const
const claude = { name: 'far', api: 'anthropic', base_url: 'http://127.0.0.1:11434/v1' } as const
const byName = new Map([own, claude].map((provider) => [provider.name, provider]))

function open(settings: Settings) {
  return createTranscriber({
    settings: { read: async () => settings },
    environment: {},
    configured: { read: () => ({ byName, problems: new Map(), secrets: [] }) },
  })
}

/** What a request of `/audio/transcriptions` holds. */
async function formOf(request: Request) {
  const form = await request.formData()
  const file = form.get('file')
  return {
    model: form.get('model'),
    authorization: request.headers.get('authorization'),
    name: file instanceof File ? file.name : undefined,
    bytes: file instanceof File ? [...new Uint8Array(await file.arrayBuffer())] : undefined,
  }
}

it.each([
  ['openai/gpt-4o-mini-transcribe', 'https://api.openai.com/v1', 'Bearer sk-1'],
  ['openai-chat/whisper-1', 'https://api.openai.com/v1', 'Bearer sk-1'],
  ['near/whisper-large', own.base_url, null],
])('transcribes with %s', async (transcription_model, base, authorization) => {
  let form: unknown
  server.use(
    http.post(`${base}/audio/transcriptions`, async ({ request }) => {
      form = await formOf(request)
      return HttpResponse.json({ text: ' Turn on the light. ' })
    }),
  )
  const transcriber = open({ transcription_model, openai_api_key: 'sk-1' })
  expect(await transcriber.transcribe(recording, signal)).toBe('Turn on the light.')
  const model = transcription_model.split('/')[1]
  expect(form).toEqual({ model, authorization, name: expect.stringMatching(/\.ogg$/), bytes: [1, 2, 3] })
})

it('leaves sound as it is without the setting', async () => {
  expect(await open({ openai_api_key: 'sk-1' }).transcribe(recording, signal)).toBeUndefined()
})

it.each([
  ['openai/whisper-1', 'model_not_configured'],
  ['anthropic/claude', 'validation_error'],
  ['far/claude', 'validation_error'],
  ['nobody/knows', 'validation_error'],
])('rejects %s if it cannot be used', async (transcription_model, code) => {
  const transcribing = open({ transcription_model }).transcribe(recording, signal)
  await expect(transcribing).rejects.toMatchObject({ code })
})
