import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { describe, expect, it } from 'vitest'
import { toMessages } from '../../conversations/to-messages.ts'
import { streamOf, toModelUsage } from '../../models/model-answer.ts'
import type { Model } from '../../ports/model.ts'
import { createTestStore } from '../../testing/create-test-store.ts'
import { createKit, modelsOf, namesOf, toolOf } from '../testing/run-kit.ts'

const source = (url: string, title?: string) =>
  ({ type: 'source', sourceType: 'url', id: url, url, ...(title !== undefined && { title }) }) as const
const finish = {
  type: 'finish',
  usage: toModelUsage(1, 1),
  finishReason: { unified: 'stop', raw: 'stop' },
} as const
const text = (delta: string) =>
  [
    { type: 'text-start', id: '1' },
    { type: 'text-delta', id: '1', delta },
    { type: 'text-end', id: '1' },
  ] as const
const call = { type: 'tool-call', toolCallId: 'c', toolName: 'send', input: '{}' } as const

/** A model that streams these parts, one list a call. */
function modelOf(...turns: readonly (readonly LanguageModelV4StreamPart[])[]): Model {
  let next = 0
  return {
    specificationVersion: 'v4',
    provider: 'scripted',
    modelId: 'main',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('Not used')),
    doStream: async () => ({ stream: streamOf([...(turns[next++] ?? text('ok')), finish]) }),
  }
}

const a = 'https://a.example/'
const send = toolOf('send', () => 'sent', { effects: 'external' })
const kitOf = (model: Model, options: Parameters<typeof createKit>[0] = {}) =>
  createKit({ models: modelsOf({ 'scripted/main': model }), ...options })

describe('sources of a run', () => {
  it('come in the stream once for each page, and stay with the turn', async () => {
    const store = createTestStore()
    const turns = [
      [source(a, ' A\n page '), source(a, 'again'), { ...call, toolName: 'none' }],
      [...text('Done.'), source('https://b.example/x'), source(a)],
    ] as const
    const { runs, run, events } = kitOf(modelOf(...turns), { store })
    const { run_id: id } = await run('Search', { conversation_id: 'c' })
    const told = (await events(id)).flatMap(({ event }) => (event.event === 'source' ? event.data : []))
    expect(told).toEqual([{ url: a, title: 'A page' }, { url: 'https://b.example/x' }])
    const stored = (await store.listMessages('c', { limit: 10 })).rows.toReversed()
    expect(stored.flatMap(toMessages).map(({ role, sources }) => [role, sources])).toEqual([
      ['user', undefined],
      ['assistant', [{ url: a, title: 'A page' }]],
      ['tool', undefined],
      ['assistant', [{ url: 'https://b.example/x' }]],
    ])
    await runs.close()
    const after = createKit({ store })
    expect(namesOf(await after.events(id)).filter((name) => name === 'source')).toHaveLength(2)
  })

  it('are addresses on the web, at most a hundred, without secrets', async () => {
    const many = Array.from({ length: 120 }, (_, number) => source(`https://a.example/${number}`))
    const odd = [
      source('javascript:alert(1)'),
      source('file:///etc/passwd'),
      source('not an address'),
      source(`https://a.example/${'x'.repeat(3000)}`),
      source('https://a.example/?key=hunter2-hunter2'),
      { type: 'source', sourceType: 'document', id: '1', mediaType: 'text/plain', title: 'x' } as const,
    ]
    const { run, events } = kitOf(modelOf([...odd, ...many, ...text('ok')]), {
      secrets: async () => ['hunter2-hunter2'],
    })
    const { run_id: id } = await run()
    const told = (await events(id)).flatMap(({ event }) =>
      event.event === 'source' && 'url' in event.data ? event.data.url : [],
    )
    expect(told).toEqual(many.slice(0, 100).map(({ url }) => url))
  })

  it('A20: taint the run, and later runs of its conversation', async () => {
    const store = createTestStore()
    const first = kitOf(modelOf([source(a), call]), { tools: [send] })
    expect((await first.run('Search')).stop_reason).toBe('approval')
    const second = kitOf(modelOf([source(a), ...text('Found.')], [call]), { store, tools: [send] })
    expect((await second.run('Search', { conversation_id: 'c' })).stop_reason).toBe('done')
    expect((await second.run('Send it', { conversation_id: 'c' })).stop_reason).toBe('approval')
  })

  it('do not go back to the model', async () => {
    const prompts: unknown[] = []
    const model = modelOf([source(a), ...text('Found.'), { ...call, toolName: 'none' }])
    const watched: Model = {
      ...model,
      doStream: (options) => (prompts.push(options.prompt), model.doStream(options)),
    }
    await kitOf(watched).run()
    expect(prompts).toHaveLength(2)
    expect(JSON.stringify(prompts)).not.toContain('a.example')
  })
})
