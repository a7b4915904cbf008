import { describe, expect, it } from 'vitest'
import type { ScriptedResponse } from '../testing/scripted-model.ts'
import { startWithScripts, ways, type TestPlatform, type Way } from './testing/start-platform.ts'

const output_schema = {
  type: 'object',
  properties: { city: { type: 'string' }, note: { enum: ['warm', null] } },
  required: ['city'],
}
const text = '{"city":"Vienna"}'
const data = { city: 'Vienna' }

async function start(
  way: Way,
  texts: readonly string[],
  fields: object = { output_schema },
): Promise<TestPlatform> {
  const steps: ScriptedResponse[] = texts.map((each) => ({ text: each }))
  const platform = await startWithScripts(way, { a: steps })
  await platform.send('PUT', '/api/agents/a', { body: fields })
  return platform
}

const runs = { agent_id: 'a', task: 'Where?' }

describe.each(ways)('structured output %s', (way) => {
  it('keeps the schema of an agent as it was given, and null clears it', async () => {
    await using platform = await start(way, [])
    const { send } = platform
    const exact = { type: 'object', properties: { a: { const: null, default: null } }, required: [] }
    const put = async (change: object) => (await send('PUT', '/api/agents/a', { body: change })).body.agent
    expect((await put({ output_schema: exact })).output_schema).toEqual(exact)
    expect(await put({ output_schema: null })).not.toHaveProperty('output_schema')
  })

  it('answers 400 to a schema that is not an object or too large', async () => {
    await using platform = await start(way, [])
    for (const wrong of ['string', [], 7, { description: 'x'.repeat(65_536) }]) {
      for (const path of ['/api/agents/run', '/api/agents/run/stream', '/api/tasks']) {
        const answer = await platform.send('POST', path, { body: { ...runs, output_schema: wrong } })
        expect([answer.status, answer.body.code]).toEqual([400, 'validation_error'])
        expect(answer.body.message).toContain('output_schema')
      }
    }
  })

  it('returns data, from a run and from its stream', async () => {
    await using platform = await start(way, ['Vienna.', text, text])
    const { send } = platform
    const answer = await send('POST', '/api/agents/run', { body: runs })
    expect([answer.status, answer.body.data, answer.body.output]).toEqual([200, data, text])
    const stream = await send('POST', '/api/agents/run/stream', { body: runs })
    expect(stream.text).toMatch(/event: assistant\ndata: /)
    const done = JSON.parse(/event: done\ndata: (.*)\n/.exec(stream.text)?.[1] ?? '')
    expect(done).toMatchObject({ data, finalContent: text })
    const found = await send('GET', `/api/runs/${answer.body.run_id}`)
    expect(found.body.run.result.data).toEqual(data)
    expect(platform.errors).toEqual([])
  })

  it('answers 502 with output_invalid, and with the last text', async () => {
    await using platform = await start(way, ['a', 'b', 'c'])
    const answer = await platform.send('POST', '/api/agents/run', { body: runs })
    expect(answer.status).toBe(502)
    expect(answer.body).toMatchObject({
      success: false,
      code: 'output_invalid',
      output: 'c',
      stop_reason: 'error',
      error: expect.stringContaining('Checking the output failed'),
    })
  })

  it('answers 502 also if a limit was reached before', async () => {
    await using platform = await start(way, ['a', 'b', 'c'], { output_schema, limits: { max_tokens: 1 } })
    const answer = await platform.send('POST', '/api/agents/run', { body: runs })
    expect([answer.status, answer.body.code, answer.body.stop_reason]).toEqual([
      502,
      'output_invalid',
      'max_tokens',
    ])
  })

  it('streams each attempt as a text of its own to a chat, and the data as a part', async () => {
    await using platform = await start(way, ['Vienna.', text])
    const { text: sent } = await platform.send('POST', '/api/agents/run/stream?format=ui', { body: runs })
    const chunks = sent.split('\n\n').flatMap((line) => {
      return line.startsWith('data: {') ? [JSON.parse(line.slice(6)) as { type: string; id?: string }] : []
    })
    expect(chunks.filter(({ type }) => type === 'text-start').map(({ id }) => id)).toEqual([
      'text-1',
      'text-2',
    ])
    expect(chunks).toContainEqual({ type: 'data-output', data })
    expect(chunks.at(-1)?.type).toBe('finish')
  })

  it('reaches tasks and the nodes of graphs', async () => {
    await using platform = await start(way, [text, text], {})
    const { send, runtime } = platform
    const { task } = (await send('POST', '/api/tasks', { body: { ...runs, output_schema } })).body
    const stop = new AbortController()
    for await (const event of runtime.logs.follow({ since: 0 }, stop.signal)) {
      if ('type' in event && event.type === 'task.completed') break
    }
    stop.abort()
    expect((await send('GET', `/api/tasks/${task.id}`)).body.task.result).toMatchObject({
      data,
      output: text,
    })

    await send('PUT', '/api/agents/a', { body: { output_schema } })
    await send('POST', '/api/graphs', { body: { id: 'g', nodes: [{ id: 'n', agent: 'a' }] } })
    const graph = await send('POST', '/api/graphs/run', { body: { graph_id: 'g', input: 'Where?' } })
    expect(graph.body).toMatchObject({ output: text, node_results: [{ node_id: 'n', data, output: text }] })
    expect(platform.errors).toEqual([])
  })
})
