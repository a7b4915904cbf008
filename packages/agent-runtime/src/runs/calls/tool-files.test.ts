import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { expect, it } from 'vitest'
import type { ModelMessage } from '../../ports/message.ts'
import type { ScriptedCall } from '../../testing/scripted-model.ts'
import { createKit, toolOf } from '../testing/run-kit.ts'

const png = Buffer.from('\u0089PNG\r\n\u001A\n and pixels', 'latin1')
const base64 = png.toString('base64')
const picture = { type: 'file', media_type: 'image/png', data: base64, name: '/tmp/chart.png' }
const sha256 = /^[0-9a-f]{64}$/

const answers = [{ toolCalls: [{ name: 'draw' }] }, { text: 'A chart.' }]
const outputOf = (call: ScriptedCall | undefined) => {
  const results = (call?.prompt ?? ([] satisfies LanguageModelV4Prompt)).flatMap((message) =>
    message.role === 'tool' ? message.content : [],
  )
  const [result] = results
  return result?.type === 'tool-result' ? result.output : undefined
}

it('stores a file of a tool once, shows a reference to people and the bytes to the model', async () => {
  const draw = toolOf('draw', () => ({
    content: [{ type: 'text', text: 'Drawn.' }, picture, picture],
    size: 2,
  }))
  const kit = createKit({ steps: answers, tools: [draw] })
  const result = await kit.run()

  const reference = { type: 'file', name: 'chart.png', media_type: 'image/png', bytes: png.length }
  const part = expect.objectContaining({ ...reference, sha256: expect.stringMatching(sha256) })
  const shown = { content: [{ type: 'text', text: 'Drawn.' }, part, part], size: 2 }
  expect(result.steps).toEqual([{ tool: 'draw', args: {}, result: shown }])

  const events = await kit.events(result.run_id)
  expect(events.find(({ event }) => event.event === 'tool_call')?.event.data).toEqual({
    id: 'call-1',
    name: 'draw',
    result: shown,
  })
  expect(JSON.stringify([events, result])).not.toContain(base64)

  const data = { type: 'data', data: new Uint8Array(png) }
  const file = { type: 'file', filename: 'chart.png', mediaType: 'image/png', data }
  expect(outputOf(kit.model.calls[1])).toEqual({
    type: 'content',
    value: [{ type: 'text', text: '{"size":2}' }, { type: 'text', text: 'Drawn.' }, file, file],
  })

  const { rows: messages } = await kit.store.listMessages(result.conversation_id, { limit: 10 })
  expect(JSON.stringify(messages)).not.toContain(base64)
  const stored = messages.flatMap(({ message }) => filesOf(message))
  expect(stored).toHaveLength(2)
  for (const { id } of stored) expect((await kit.store.findFile(id))?.content).toEqual(new Uint8Array(png))
  expect(new Set(stored.map(({ sha256: hash }) => hash)).size).toBe(1)
})

const filesOf = (message: ModelMessage) =>
  message.role === 'tool' ? message.results.flatMap(({ files = [] }) => files) : []

it('takes bytes as they are, and sends the same bytes in the next run of the conversation', async () => {
  const draw = toolOf('draw', () => ({
    content: [{ type: 'file', media_type: 'application/octet-stream', data: new Uint8Array(png) }],
  }))
  const kit = createKit({ steps: [...answers, { text: 'Blue.' }], tools: [draw] })
  const { conversation_id } = await kit.run()
  await kit.run('Which color?', { conversation_id })
  expect(outputOf(kit.model.calls[2])).toEqual(outputOf(kit.model.calls[1]))
  expect(outputOf(kit.model.calls[2])).toMatchObject({
    value: [{ mediaType: 'image/png', filename: 'file-1.png' }],
  })
})

it.each<[string, object, string]>([
  ['broken base64', { ...picture, data: 'a%b=' }, 'the "data" of file 1 must be base64'],
  ['no bytes', { ...picture, data: '' }, 'the "data" of file 1 is empty'],
  ['no media type', { type: 'file', data: base64 }, 'file 1 needs a "media_type" such as "image/png"'],
  [
    'too many bytes',
    { ...picture, data: new Uint8Array(20 * 1024 * 1024 + 1) },
    'must have at most 20971520 bytes',
  ],
])('tells the model of a tool that returns a file with %s', async (_, file, problem) => {
  const kit = createKit({ steps: answers, tools: [toolOf('draw', () => ({ content: [file] }))] })
  const { steps, success } = await kit.run()
  expect(success).toBe(true)
  expect(steps[0]?.error).toContain('The result of the tool is invalid: ')
  expect(steps[0]?.error).toContain(problem)
})

it('rejects more than 20 files of one result', async () => {
  const draw = toolOf('draw', () => ({ content: Array.from({ length: 21 }, () => picture) }))
  const kit = createKit({ steps: answers, tools: [draw] })
  expect((await kit.run()).steps[0]?.error).toMatch(/it must have at most 20 files/)
})

it('takes secrets out of the texts and names beside a file', async () => {
  const file = { ...picture, name: 'secret-4711.png' }
  const draw = toolOf('draw', () => ({ content: [{ type: 'text', text: 'key secret-4711' }, file] }))
  const kit = createKit({ steps: answers, tools: [draw], secrets: async () => ['secret-4711'] })
  const result = await kit.run()
  expect(result.steps[0]?.result).toMatchObject({
    content: [{ text: 'key [secret]' }, { type: 'file', name: '[secret].png' }],
  })
  expect(JSON.stringify(kit.model.calls[1]?.prompt)).not.toContain('4711')
})

it('believes no reference that a tool writes itself', async () => {
  const own = { content: [{ type: 'file', id: 'of-another-user', media_type: 'image/png' }] }
  const kit = createKit({ steps: answers, tools: [toolOf('draw', () => own)] })
  await kit.run()
  expect(outputOf(kit.model.calls[1])).toEqual({ type: 'json', value: own })
})

it('counts a file of a tool by its medium', async () => {
  const large = { ...picture, data: new Uint8Array(3_000_000).fill(1) }
  const draw = toolOf('draw', () => ({ content: [large] }))
  const kit = createKit({ steps: [answers[0]!, { text: 'A chart.', usage: null }], tools: [draw] })
  const { usage } = await kit.run()
  expect(usage.input_tokens).toBeGreaterThan(1500)
  expect(usage.input_tokens).toBeLessThan(4000)
})
