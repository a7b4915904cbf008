import { describe, expect, it } from 'vitest'
import type { ModelProvider } from '../ports/model.ts'
import { createScriptedModel, type ScriptedResponse } from '../testing/scripted-model.ts'
import type { Tool } from '../ports/tool.ts'
import { startPlatform, ways, type TestPlatformOptions, type Way } from './testing/start-platform.ts'

async function startWith(way: Way, steps: readonly ScriptedResponse[], options: TestPlatformOptions = {}) {
  const model = createScriptedModel(steps)
  const mine: ModelProvider = () => model
  const prices = { 'mine/any': { inputPerMillion: 1, outputPerMillion: 2 } }
  const platform = await startPlatform(way, {
    models: { mine },
    prices,
    retry: { attempts: 1, baseMs: 1 },
    ...options,
  })
  await platform.send('POST', '/api/agents', { body: { id: 'a', model: 'mine/any' } })
  return Object.assign(platform, { model })
}

const toolOf = (id: string, call: Tool['execute']): Tool => ({
  id,
  description: 'Does it.',
  inputSchema: { type: 'object' },
  effects: 'read',
  idempotent: true,
  returnsUntrustedContent: false,
  execute: call,
})

const overloaded = () => Object.assign(new Error('overloaded'), { statusCode: 503, isRetryable: true })

describe.each(ways)('steps of runs %s', (way) => {
  it('shows each model call and tool call with what went in, what came out, attempts, tokens and cost', async () => {
    const steps = [
      { error: overloaded() },
      {
        text: 'Let me look.',
        toolCalls: [
          { id: 'c1', name: 'time' },
          { id: 'c2', name: 'nothing' },
        ],
      },
      { text: 'Noon.' },
    ]
    await using platform = await startWith(way, steps)
    const { run_id } = (
      await platform.send('POST', '/api/agents/run', { body: { agent_id: 'a', task: 'What time is it?' } })
    ).body
    const { status, body } = await platform.send('GET', `/api/runs/${run_id}/steps`)
    expect(status).toBe(200)
    const times = {
      started_at: expect.any(String),
      finished_at: expect.any(String),
      duration_ms: expect.any(Number),
    }
    const [first, second, third, last] = body.steps
    expect(body.steps).toHaveLength(4)
    expect(first).toEqual({
      index: 0,
      id: expect.any(String),
      type: 'model',
      name: 'mine/any',
      status: 'completed',
      ...times,
      input: [{ role: 'user', content: 'What time is it?' }],
      output: {
        role: 'assistant',
        content: 'Let me look.',
        tool_calls: [
          { id: 'c1', name: 'time', args: {} },
          { id: 'c2', name: 'nothing', args: {} },
        ],
      },
      attempts: [
        expect.objectContaining({ model: 'mine/any', error: expect.stringContaining('overloaded') }),
        { model: 'mine/any', started_at: expect.any(String), finished_at: expect.any(String) },
      ],
      tokens: { input_tokens: 10, output_tokens: 5 },
      cost: { amount: 0.00002, currency: 'USD' },
    })
    expect(second).toMatchObject({
      index: 1,
      type: 'tool',
      name: 'time',
      status: 'completed',
      input: {},
      ...times,
    })
    expect(second.output).toBeDefined()
    expect(third).toMatchObject({
      type: 'tool',
      name: 'nothing',
      status: 'failed',
      error: expect.any(String),
    })
    expect(last).toMatchObject({ index: 3, input: [{ role: 'tool' }], output: { content: 'Noon.' } })
    expect((await platform.send('GET', '/api/runs/none/steps')).status).toBe(404)
  })

  it('shows the full prompt of a model call, as the agent was at that time', async () => {
    const steps = [
      { text: 'Hello.' },
      { toolCalls: [{ id: 'c1', name: 'echo', args: { password: 'hunter2' } }] },
      { text: 'Done.' },
    ]
    const echo = toolOf('echo', async () => 'an echo')
    await using platform = await startWith(way, steps, { tools: [echo] })
    await platform.send('PUT', '/api/agents/a', { body: { tools: ['echo'], personality: 'You are terse.' } })
    const run = async (body: object) =>
      (await platform.send('POST', '/api/agents/run', { body: { agent_id: 'a', ...body } })).body
    const first = await run({ task: 'Hi' })
    const second = await run({ task: 'Go', conversation_id: first.conversation_id })
    await platform.send('PUT', '/api/agents/a', { body: { personality: 'You are chatty.', tools: [] } })
    await run({ task: 'Later', conversation_id: first.conversation_id })

    const path = `/api/runs/${second.run_id}/steps`
    const { steps: plain } = (await platform.send('GET', path)).body
    const { status, body } = await platform.send('GET', `${path}?prompt=${plain[2].id}`)
    expect(status).toBe(200)
    expect(body.steps.slice(0, 2)).toEqual(plain.slice(0, 2))
    const { prompt } = body.steps[2]
    expect(prompt).toMatchObject({
      agent_version: 2,
      tools: [{ name: 'echo', description: 'Does it.', parameters: { type: 'object' } }],
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Hello.' },
        { role: 'user', content: 'Go' },
        { role: 'assistant', tool_calls: [{ name: 'echo' }] },
        { role: 'tool', content: [{ result: 'an echo' }] },
      ],
    })
    const told = platform.model.calls[2]!.prompt
    expect(prompt.instructions).toBe(told[0]!.content)
    expect(prompt.messages).toHaveLength(told.length - 1)
    expect(JSON.stringify(prompt)).not.toContain('hunter2')
    expect((await platform.send('GET', `${path}?prompt=${plain[1].id}`)).status).toBe(404)
  })

  it('shows a failed model call, and hides secrets and cuts what is long', async () => {
    const long = 'x'.repeat(50_000)
    const steps = [
      { toolCalls: [{ name: 'echo', args: { password: 'hunter2', text: long } }] },
      { error: new Error('broken') },
      { error: new Error('broken') },
    ]
    const echo = toolOf('echo', async () => long)
    await using platform = await startWith(way, steps, { tools: [echo] })
    await platform.send('PUT', '/api/agents/a', { body: { tools: ['echo'] } })
    const { run_id } = (
      await platform.send('POST', '/api/agents/run', { body: { agent_id: 'a', task: 'Go' } })
    ).body
    const { steps: shown } = (await platform.send('GET', `/api/runs/${run_id}/steps`)).body
    expect(shown.map(({ status }: { status: string }) => status)).toEqual([
      'completed',
      'completed',
      'failed',
    ])
    expect(shown[1].cut).toEqual(['input', 'output'])
    expect(shown[1].output).toHaveLength(
      shown[1].output.indexOf('…') + '… [cut: 50000 characters in all]'.length,
    )
    expect(JSON.stringify(shown)).not.toContain('hunter2')
    expect(shown[2]).toMatchObject({ type: 'model', error: expect.stringContaining('broken') })
    expect(shown[2]).not.toHaveProperty('output')
  })

  it('shows the steps of a run that works, and the nodes of a graph', async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const steps = [{ toolCalls: [{ name: 'wait' }] }, { text: 'Done.' }, { text: 'One.' }]
    const wait = toolOf('wait', () => promise)
    await using platform = await startWith(way, steps, { tools: [wait] })
    const running = platform.send('POST', '/api/agents/run', { body: { agent_id: 'a', task: 'Go' } })
    const listed = async () => (await platform.send('GET', '/api/runs')).body.runs
    const stepsOf = async (id: string) => (await platform.send('GET', `/api/runs/${id}/steps`)).body.steps
    await expect.poll(async () => (await listed()).length).toBe(1)
    const [{ id }] = await listed()
    await expect
      .poll(async () => (await stepsOf(id)).at(-1))
      .toMatchObject({ type: 'tool', status: 'running' })
    resolve('over')
    await running
    expect((await stepsOf(id)).at(-1)).toMatchObject({ type: 'model', output: { content: 'Done.' } })
    await platform.send('POST', '/api/graphs', { body: { id: 'g', nodes: [{ id: 'n', agent: 'a' }] } })
    const graph = (
      await platform.send('POST', '/api/graphs/run', { body: { graph_id: 'g', input: 'Count' } })
    ).body
    expect(await stepsOf(graph.run_id)).toEqual([
      expect.objectContaining({
        index: 0,
        type: 'node',
        name: 'n',
        status: 'completed',
        input: 'Count',
        output: 'One.',
        attempts: [expect.objectContaining({ run_id: expect.any(String) })],
        cost: { amount: 0.00002, currency: 'USD' },
      }),
    ])
  })
})
