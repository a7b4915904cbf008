import { runEvents } from '@homeward/contract/agent-platform'
import { readEvents } from '@homeward/contract/events'
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import type { ScriptedResponse } from '../testing/scripted-model.ts'
import { startWithScripts, ways, type TestPlatform } from './testing/start-platform.ts'

const chain = {
  id: 'chain',
  nodes: [
    { id: 'first', agent: 'echo', input: 'Say {{input}}' },
    { id: 'second', agent: 'echo' },
  ],
  edges: [{ from: 'first', to: 'second' }],
}
const failure: ScriptedResponse = { error: new Error('the provider is down') }

async function makeChain(platform: TestPlatform): Promise<void> {
  expect((await platform.send('POST', '/api/graphs', { body: chain })).status).toBe(201)
}

/** A gate that a test opens. */
function gate() {
  const { promise, resolve: open } = Promise.withResolvers<void>()
  const { promise: reached, resolve: onReach } = Promise.withResolvers<void>()
  return { wait: async () => (onReach(), promise), reached, open }
}

describe.each(ways)('graphs %s', (way) => {
  it('A10: null counts as absent in a condition too', async () => {
    await using platform = await startWithScripts(way)
    const when = { contains: null, equals: 'x', starts_with: null }
    const body = { ...chain, edges: [{ from: 'first', to: 'second', when }] }
    const created = await platform.send('POST', '/api/graphs', { body })
    expect(created.status).toBe(201)
    expect(created.body.graph.edges).toEqual([{ from: 'first', to: 'second', when: { equals: 'x' } }])
  })

  it('A10: creates, shows, lists, changes and deletes a graph', async () => {
    await using platform = await startWithScripts(way)
    const created = await platform.send('POST', '/api/graphs', { body: chain })
    expect(created.status).toBe(201)
    expect(created.body).toEqual({
      ok: true,
      graph: {
        ...chain,
        schedule_enabled: true,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    })
    const { graph } = created.body
    expect((await platform.send('GET', '/api/graphs/chain')).body).toEqual({ graph })
    expect((await platform.send('GET', '/api/graphs')).body).toEqual({ graphs: [graph] })
    expect((await platform.send('POST', '/api/graphs', { body: chain })).status).toBe(409)
    const changed = await platform.send('PUT', '/api/graphs/chain', { body: { name: 'Chain' } })
    expect(changed.body).toMatchObject({ ok: true, graph: { ...chain, name: 'Chain' } })
    const back = await platform.send('PUT', '/api/graphs/chain', { body: changed.body.graph })
    expect(back.body).toMatchObject({ ok: true, graph: { ...chain, name: 'Chain' } })
    const renamed = await platform.send('PUT', '/api/graphs/chain', { body: { id: 'other', name: 'Other' } })
    expect([renamed.status, renamed.body.code]).toEqual([400, 'validation_error'])
    expect((await platform.send('GET', '/api/graphs')).body).toEqual({ graphs: [back.body.graph] })
    expect((await platform.send('DELETE', '/api/graphs/chain')).body).toEqual({ ok: true })
    for (const [method, path] of [
      ['GET', '/api/graphs/chain'],
      ['DELETE', '/api/graphs/chain'],
    ] as const) {
      expect((await platform.send(method, path)).status).toBe(404)
    }
    const gone = await platform.send('POST', '/api/graphs/run', { body: { graph_id: 'chain', input: 'x' } })
    expect([gone.status, gone.body.code]).toEqual([404, 'not_found'])
  })

  it('A10: refuses a graph that cannot work, and says what is wrong with it', async () => {
    await using platform = await startWithScripts(way)
    const nodes = ['a', 'b'].map((id) => ({ id, agent: 'echo' }))
    const cycle = [
      { from: 'a', to: 'b' },
      { from: 'b', to: 'a' },
    ]
    const answer = await platform.send('POST', '/api/graphs', { body: { nodes, edges: cycle } })
    expect([answer.status, answer.body.code]).toEqual([400, 'validation_error'])
    expect(answer.body.details).toEqual({
      problems: [{ path: 'edges', message: 'the edges must not form a cycle: "a" -> "b" -> "a"' }],
    })
    for (const body of [
      { nodes: [...nodes, ...nodes] },
      { nodes, edges: [{ from: 'a', to: 'c' }] },
      { nodes: [{ id: 'a', agent: 'nobody' }] },
      { nodes: [] },
      {},
    ]) {
      expect((await platform.send('POST', '/api/graphs', { body })).status).toBe(400)
    }
    expect((await platform.send('GET', '/api/graphs')).body).toEqual({ graphs: [] })
  })

  it('A10: runs a graph and answers with every documented field', async () => {
    await using platform = await startWithScripts(way)
    await makeChain(platform)
    const { status, body } = await platform.send('POST', '/api/graphs/run', {
      body: { graph_id: 'chain', input: 'hello' },
    })
    expect(status).toBe(200)
    const node = { agent_id: 'echo', success: true, status: 'completed', output: 'Say hello', attempts: 1 }
    const times = {
      started_at: expect.any(String),
      finished_at: expect.any(String),
      run_id: expect.any(String),
    }
    expect(body).toEqual({
      success: true,
      stop_reason: 'done',
      output: 'Say hello',
      outputs: { first: 'Say hello', second: 'Say hello' },
      run_id: expect.any(String),
      graph_id: 'chain',
      node_results: [
        { node_id: 'first', ...node, ...times },
        { node_id: 'second', ...node, ...times },
      ],
      usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
    })
    const shown = await platform.send('GET', `/api/runs/${body.run_id}`)
    expect(shown.body.run).toMatchObject({
      graph_id: 'chain',
      status: 'completed',
      task: 'hello',
      result: body,
    })
    const child = await platform.send('GET', `/api/runs/${body.node_results[1].run_id}`)
    expect(child.body.run).toMatchObject({ agent_id: 'echo', parent_run_id: body.run_id, task: 'Say hello' })
    expect(body.usage.input_tokens).toBeGreaterThan(child.body.run.result.usage.input_tokens)
  })

  it('A10: a node that fails is told in the answer, with what became of the others', async () => {
    await using platform = await startWithScripts(way, { bad: [failure, failure] })
    const nodes = [
      { id: 'bad', agent: 'bad', retries: 1 },
      { id: 'behind', agent: 'echo' },
      { id: 'other', agent: 'echo' },
    ]
    await platform.send('POST', '/api/graphs', {
      body: { id: 'g', nodes, edges: [{ from: 'bad', to: 'behind' }] },
    })
    const { status, body } = await platform.send('POST', '/api/graphs/run', {
      body: { graph_id: 'g', input: 'x' },
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      success: false,
      output: 'x',
      outputs: { other: 'x' },
      node_results: [
        { node_id: 'bad', success: false, status: 'failed', attempts: 2, error: expect.any(String) },
        { node_id: 'behind', status: 'skipped', attempts: 0 },
        { node_id: 'other', success: true, status: 'completed' },
      ],
    })
    expect((await platform.send('GET', `/api/runs/${body.run_id}`)).body.run.status).toBe('failed')
  })

  it('A10: the same key gives the same run, and another input with it is a conflict', async () => {
    await using platform = await startWithScripts(way)
    await makeChain(platform)
    const body = { graph_id: 'chain', input: 'hello', idempotency_key: 'k' }
    const first = await platform.send('POST', '/api/graphs/run', { body })
    const { idempotency_key: _, ...bare } = body
    const headers = { 'idempotency-key': 'k' }
    const second = await platform.send('POST', '/api/graphs/run', { body: bare, headers })
    expect(second.body).toEqual(first.body)
    for (const change of [{ input: 'other' }, { user_id: 'ben' }]) {
      const other = await platform.send('POST', '/api/graphs/run', { body: { ...body, ...change } })
      expect([other.status, other.body.code]).toEqual([409, 'conflict'])
    }
  })

  it('A10: a graph whose agent was deleted since fails at that node', async () => {
    await using platform = await startWithScripts(way, { gone: [] })
    const nodes = [{ id: 'x', agent: 'gone' }]
    await platform.send('POST', '/api/graphs', { body: { id: 'g', nodes } })
    await platform.send('DELETE', '/api/agents/gone')
    const { body } = await platform.send('POST', '/api/graphs/run', { body: { graph_id: 'g', input: 'x' } })
    expect(body).toMatchObject({ success: false, code: 'not_found', node_results: [{ code: 'not_found' }] })
  })

  it('A6, A10: streams the nodes as they begin and end, and resumes behind the last event that was seen', async () => {
    await using platform = await startWithScripts(way)
    await makeChain(platform)
    const open = (headers = {}) =>
      platform.fetch('/api/graphs/run/stream', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ graph_id: 'chain', input: 'hello' }),
      })
    const events = await Array.fromAsync(readEvents((await open()).body!, runEvents))
    expect(events.map(({ event }) => event)).toEqual([
      'start',
      'node_start',
      'node_done',
      'node_start',
      'node_done',
      'done',
    ])
    expect(events.at(-1)?.data).toMatchObject({ finalContent: 'Say hello', success: true, graph_id: 'chain' })
    const again = await Array.fromAsync(
      readEvents((await open({ 'last-event-id': events[2]?.id })).body!, runEvents),
    )
    expect(again).toEqual(events.slice(3))
    expect((await open({ 'last-event-id': events.at(-1)?.id })).status).toBe(204)
    const [start] = events
    const runId = start?.event === 'start' ? start.data.run_id : ''
    const listed = await platform.fetch(`/api/runs/${runId}/events`)
    expect(await Array.fromAsync(readEvents(listed.body!, runEvents))).toEqual(events)
  })

  it.each(['as it runs', 'later'])('A6: `format=ui` shows a graph to useChat %s', async (when) => {
    await using platform = await startWithScripts(way)
    await makeChain(platform)
    const request = { graph_id: 'chain', input: 'hello' }
    const transport = new DefaultChatTransport<UIMessage>({
      api: 'http://127.0.0.1/chat',
      async fetch() {
        if (when === 'as it runs') {
          const headers = { 'content-type': 'application/json' }
          const init = { method: 'POST', headers, body: JSON.stringify(request) }
          return platform.fetch('/api/graphs/run/stream?format=ui', init)
        }
        const { body } = await platform.send('POST', '/api/graphs/run', { body: request })
        return platform.fetch(`/api/runs/${body.run_id}/events?format=ui`)
      },
    })
    const stream = await transport.sendMessages({
      trigger: 'submit-message',
      chatId: 'c',
      messageId: undefined,
      messages: [],
      abortSignal: undefined,
    })
    const messages = await Array.fromAsync(readUIMessageStream({ stream }))
    const parts = messages.at(-1)?.parts ?? []
    expect(parts.flatMap((part) => (part.type === 'text' ? part.text : []))).toEqual(['Say hello'])
    expect(parts.flatMap((part) => (part.type === 'data-node' ? [part.data] : []))).toMatchObject([
      { node_id: 'first', status: 'completed' },
      { node_id: 'second', status: 'completed' },
    ])
  })

  it('A10, A20: a node waits for a person, and the graph goes on behind the approval', async () => {
    const pay = { toolCalls: [{ name: 'memory_write', args: { text: 'x' } }] }
    await using platform = await startWithScripts(way, { asks: [pay, { text: 'Written.' }] })
    await platform.send('PUT', '/api/agents/asks', { body: { approval_tools: ['memory_write'] } })
    const nodes = [
      { id: 'asks', agent: 'asks' },
      { id: 'then', agent: 'echo' },
    ]
    await platform.send('POST', '/api/graphs', {
      body: { id: 'g', nodes, edges: [{ from: 'asks', to: 'then' }] },
    })
    const { status, body } = await platform.send('POST', '/api/graphs/run', {
      body: { graph_id: 'g', input: 'Do' },
    })
    expect([status, body.success, body.stop_reason]).toEqual([200, true, 'approval'])
    expect(body.waits).toMatchObject([{ kind: 'approval', status: 'open' }])
    const path = `/api/runs/${body.run_id}`
    expect((await platform.send('GET', path)).body.run.status).toBe('waiting')

    const stream = await platform.fetch(`${path}/events`)
    const names: string[] = []
    for await (const { event, data } of readEvents(stream.body!, runEvents)) {
      names.push(event)
      if (event !== 'approval') continue
      const decided = await platform.send('POST', `/api/runs/${data.run_id}/approvals/${data.id}`, {
        body: { decision: 'approve' },
      })
      expect(decided.status).toBe(200)
    }
    expect(names).toEqual([
      'start',
      'node_start',
      'wait',
      'approval',
      'wait_settled',
      'node_done',
      'node_start',
      'node_done',
      'done',
    ])
    const ended = await platform.send('GET', path)
    expect(ended.body.run).toMatchObject({
      status: 'completed',
      result: { success: true, output: 'Written.' },
    })
  })

  it('A10: cancelling a graph stops its nodes', async () => {
    const hold = gate()
    await using platform = await startWithScripts(way, { slow: [{ gate: hold.wait, hang: true }] })
    await platform.send('POST', '/api/graphs', { body: { id: 'g', nodes: [{ id: 'n', agent: 'slow' }] } })
    const { runId, result } = await platform.runtime.graphs.start({ graph_id: 'g', input: 'x' })
    await hold.reached
    hold.open()
    const { status, body } = await platform.send('POST', `/api/runs/${runId}/cancel`)
    expect([status, body.run.status]).toEqual([200, 'cancelled'])
    expect(await result).toMatchObject({
      success: false,
      code: 'cancelled',
      node_results: [{ code: 'cancelled' }],
    })
    const [child] = (await result).node_results
    expect((await platform.send('GET', `/api/runs/${child?.run_id}`)).body.run.status).toBe('cancelled')
  })
})
