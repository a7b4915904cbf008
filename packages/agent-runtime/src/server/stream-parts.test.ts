import { runEvents } from '@homeward/contract/agent-platform'
import { readEvents } from '@homeward/contract/events'
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai'
import { describe, expect, it } from 'vitest'
import { streamOf, toModelUsage } from '../models/model-answer.ts'
import type { Model } from '../ports/model.ts'
import { createScriptedModel, type ScriptedResponse } from '../testing/scripted-model.ts'
import { startPlatform, ways, type TestPlatform, type Way } from './testing/start-platform.ts'

async function startWith(way: Way, steps: readonly ScriptedResponse[]) {
  const model = createScriptedModel(steps)
  const platform = await startPlatform(way, { models: { mine: () => model } })
  await platform.send('POST', '/api/agents', { body: { id: 'a', model: 'mine/any' } })
  return platform
}

function openStream(platform: TestPlatform, query = ''): Promise<Response> {
  return platform.fetch(`/api/agents/run/stream${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ agent_id: 'a', task: 'Go' }),
  })
}

/** The chunks of a UI message stream. */
function toChunks(text: string): ReadableStream<UIMessageChunk> {
  return new ReadableStream({
    start(controller) {
      for (const [, json = ''] of text.matchAll(/^data: (\{.*)$/gm)) controller.enqueue(JSON.parse(json))
      controller.close()
    },
  })
}

describe.each(ways)('parts of streams %s', (way) => {
  it('A6: streams reasoning only with reasoning=true, without ids', async () => {
    const steps = [{ reasoning: 'Two and two.', text: 'Four.' }]
    await using platform = await startWith(way, [...steps, ...steps, ...steps])
    const response = await openStream(platform, '?reasoning=true')
    const events = await Array.fromAsync(readEvents(response.body!, runEvents))
    expect(events.map(({ event }) => event)).toEqual(['start', 'reasoning', 'assistant', 'usage', 'done'])
    expect(events[1]?.data).toEqual({ delta: 'Two and two.' })
    const runId = events[0]?.event === 'start' ? events[0].data.run_id : ''
    const again = await platform.fetch(`/api/runs/${runId}/events?reasoning=true`)
    const text = await again.text()
    expect(text).toContain('event: reasoning\ndata: {"delta":"Two and two."}')
    expect(text.match(/^id: .*:\d+$/gm)).toHaveLength(4)
    for (const query of ['', '?reasoning=false']) {
      expect(await (await openStream(platform, query)).text()).not.toContain('reasoning')
    }
    const refused = await openStream(platform, '?reasoning=yes')
    expect([refused.status, await refused.json()]).toMatchObject([400, { code: 'validation_error' }])
  })

  it('A6: writes sources and hosted tool calls as parts of a UI message stream', async () => {
    const ids = { toolCallId: 's1', toolName: 'web_search' } as const
    const parts: LanguageModelV4StreamPart[] = [
      { type: 'tool-call', ...ids, input: '{"query":"x"}', providerExecuted: true },
      { type: 'tool-result', ...ids, result: [{ url: 'https://a.example/', encryptedContent: 'secret' }] },
      { type: 'source', sourceType: 'url', id: '1', url: 'https://a.example/', title: 'A' },
      { type: 'text-delta', id: 't', delta: 'Found.' },
      { type: 'finish', usage: toModelUsage(1, 1), finishReason: { unified: 'stop', raw: 'stop' } },
    ]
    const scripted = createScriptedModel([])
    const model: Model = { ...scripted, doStream: async () => ({ stream: streamOf(parts) }) }
    await using platform = await startPlatform(way, { models: { mine: () => model } })
    await platform.send('POST', '/api/agents', { body: { id: 'a', model: 'mine/any' } })
    const text = await (await openStream(platform, '?format=ui')).text()
    expect(text).not.toContain('secret')
    let message: UIMessage | undefined
    for await (const newest of readUIMessageStream({ stream: toChunks(text) })) message = newest
    expect(message?.parts).toMatchObject([
      { type: 'step-start' },
      {
        type: 'dynamic-tool',
        toolName: 'web_search',
        state: 'output-available',
        input: { query: 'x' },
        output: [{ url: 'https://a.example/' }],
      },
      { type: 'source-url', sourceId: 'source-1', url: 'https://a.example/', title: 'A' },
      { type: 'step-start' },
      { type: 'text', text: 'Found.' },
    ])
  })

  it('A6: writes a file of the model as a part of a UI message stream', async () => {
    const files = [{ mediaType: 'image/png', data: new Uint8Array([1]) }]
    await using platform = await startWith(way, [{ text: 'A cat:', files }])
    const stream = toChunks(await (await openStream(platform, '?format=ui')).text())
    let message: UIMessage | undefined
    for await (const newest of readUIMessageStream({ stream })) message = newest
    expect(message?.parts).toMatchObject([
      { type: 'step-start' },
      { type: 'text', text: 'A cat:' },
      { type: 'file', mediaType: 'image/png', url: expect.stringMatching(/^\/api\/files\//) },
    ])
  })

  it('A6: writes reasoning as parts of a UI message stream', async () => {
    await using platform = await startWith(way, [
      { reasoning: 'Let me see.', text: 'First.', toolCalls: [{ name: 'time' }] },
      { reasoning: 'Now I know.', text: 'Noon.' },
    ])
    const response = await openStream(platform, '?format=ui&reasoning=true')
    const stream = toChunks(await response.text())
    let message: UIMessage | undefined
    for await (const newest of readUIMessageStream({ stream })) message = newest
    const parts = message?.parts.flatMap((part) =>
      part.type === 'text' || part.type === 'reasoning' ? [[part.type, part.text, part.state]] : [part.type],
    )
    expect(parts).toEqual([
      'step-start',
      ['reasoning', 'Let me see.', 'done'],
      ['text', 'First.', 'done'],
      'dynamic-tool',
      'step-start',
      ['reasoning', 'Now I know.', 'done'],
      ['text', 'Noon.', 'done'],
    ])
  })
})
