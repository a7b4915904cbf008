import { createGoogle } from '@ai-sdk/google'
import { expect, it } from 'vitest'
import { fitModel } from '../../models/fit/fit-model.ts'
import { geminiRules } from '../../models/fit/wire-rules.ts'
import { createUiChunks } from '../../server/ui-chunks.ts'
import { agentOf, createKit, firstOf } from '../testing/run-kit.ts'

const png = new TextEncoder().encode('pixels of a cat')
const base64 = Buffer.from(png).toString('base64')
const cat = { mediaType: 'image/png', data: base64 }

it('stores a picture that the model makes, and shows where it is', async () => {
  const kit = createKit({ steps: [{ text: 'A cat:', files: [cat] }, { text: 'It is gray.' }] })
  const result = await kit.run('Draw a cat')
  const reference = {
    id: expect.any(String),
    name: 'file-1.png',
    media_type: 'image/png',
    bytes: png.length,
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  }
  expect(result).toMatchObject({ success: true, output: 'A cat:' })
  expect(result.files).toEqual([{ ...reference, url: expect.stringMatching(/^\/api\/files\//) }])
  const [file] = result.files ?? []
  expect(file?.url).toBe(`/api/files/${file?.id}`)
  expect((await kit.store.findFile(file?.id ?? ''))?.content).toEqual(png)

  const events = await kit.events(result.run_id)
  expect(firstOf(events).file).toEqual({
    id: file?.id,
    name: 'file-1.png',
    media_type: 'image/png',
    bytes: png.length,
  })
  const toChunks = createUiChunks()
  const chunks = events.flatMap(({ event }) => toChunks(event))
  expect(chunks).toContainEqual({ type: 'file', url: file?.url, mediaType: 'image/png' })

  const { rows } = await kit.store.listMessages(result.conversation_id, { limit: 5 })
  expect(JSON.stringify(rows)).not.toContain(base64)
  await kit.run('Which color?', { conversation_id: result.conversation_id })
  expect(JSON.stringify(kit.model.calls[1]?.prompt)).toContain('[picture file-1.png, image/png, 1 KB]')
})

it('leaves out files beyond the twentieth, addresses and what is empty, with a warning', async () => {
  const many = Array.from({ length: 21 }, () => cat)
  const kit = createKit({ steps: [{ text: 'Cats', files: [{ ...cat, data: '' }, ...many, cat] }] })
  const { files, warnings } = await kit.run()
  expect(files).toHaveLength(20)
  expect(warnings).toEqual([
    'Saving a file of the model failed: it is empty, unreadable or too large.',
    'Saving a file of the model failed: a run can have at most 20 files.',
  ])
})

it('keeps the picture of an answer that breaks off', async () => {
  const kit = createKit({ steps: [{ text: 'A cat:', files: [cat], cut: true }] })
  const { success, files } = await kit.run()
  expect(success).toBe(false)
  expect(files).toHaveLength(1)
})

it('sends Gemini its own picture back, with its signature', async () => {
  const bodies: string[] = []
  const fetch = async (_: unknown, init?: RequestInit) => {
    bodies.push(typeof init?.body === 'string' ? init.body : '')
    const part = { inlineData: { mimeType: 'image/png', data: base64 }, thoughtSignature: 'signed' }
    const candidate = { content: { role: 'model', parts: [part] }, index: 0, finishReason: 'STOP' }
    const data = { candidates: [candidate], usageMetadata: { promptTokenCount: 5, totalTokenCount: 6 } }
    return new Response(`data: ${JSON.stringify(data)}\n\n`, {
      headers: { 'content-type': 'text/event-stream' },
    })
  }
  const id = 'gemini-3-pro-image'
  const model = fitModel(createGoogle({ apiKey: 'key', fetch })(id), geminiRules(id))
  const kit = createKit({
    agents: [agentOf({ model: `google/${id}` })],
    models: { resolve: async (name) => ({ name, model }) },
  })
  const { conversation_id, files } = await kit.run('Draw a cat')
  expect(files).toHaveLength(1)
  await kit.run('Make it blue', { conversation_id })
  const { contents } = JSON.parse(bodies[1] ?? '{}') as { contents: { role: string; parts: object[] }[] }
  expect(contents.find(({ role }) => role === 'model')?.parts).toEqual([
    { inlineData: { mimeType: 'image/png', data: base64 }, thoughtSignature: 'signed' },
  ])
})
