import { describe, expect, it } from 'vitest'
import type { ModelProvider } from '../ports/model.ts'
import { createScriptedModel, type ScriptedResponse } from '../testing/scripted-model.ts'
import { startPlatform, ways, type TestPlatformOptions, type Way } from './testing/start-platform.ts'

/** A platform with an agent `a` whose model plays these steps. */
async function startWith(way: Way, steps: readonly ScriptedResponse[], options: TestPlatformOptions = {}) {
  const model = createScriptedModel(steps)
  const mine: ModelProvider = () => model
  const platform = await startPlatform(way, { models: { mine }, retry: { attempts: 0 }, ...options })
  await platform.send('POST', '/api/agents', { body: { id: 'a', model: 'mine/any' } })
  return Object.assign(platform, { model })
}

const task = { agent_id: 'a', task: 'What time is it?' }

describe.each(ways)('runs %s', (way) => {
  it('A4: runs an agent and answers with every documented field', async () => {
    await using platform = await startWith(way, [{ toolCalls: [{ name: 'time' }] }, { text: 'Noon.' }])
    const { status, body } = await platform.send('POST', '/api/agents/run', { body: task })
    expect(status).toBe(200)
    expect(body).toEqual({
      success: true,
      output: 'Noon.',
      turns: 2,
      tool_calls: 1,
      steps: [{ tool: 'time', args: {}, result: expect.anything() }],
      usage: { input_tokens: 20, output_tokens: 10 },
      model: 'mine/any',
      run_id: expect.any(String),
      conversation_id: expect.any(String),
      stop_reason: 'done',
    })
    const shown = await platform.send('GET', `/api/runs/${body.run_id}`)
    expect(shown.body.run).toMatchObject({ id: body.run_id, status: 'completed', result: body })
    const listed = await platform.send('GET', '/api/runs?agent_id=a&status=completed&limit=5')
    expect(listed.body).toEqual({ runs: [shown.body.run] })
    platform.model.assertComplete()
  })

  it('lists runs by words, time, cost and duration, and shows what each has cost', async () => {
    const prices = { 'mine/any': { inputPerMillion: 1, outputPerMillion: 2 } }
    const steps = [{ text: 'Noon.' }, { toolCalls: [{ name: 'time' }] }, { text: 'Midnight.' }]
    await using platform = await startWith(way, steps, { prices })
    const cheap = (await platform.send('POST', '/api/agents/run', { body: task })).body.run_id
    const dear = (await platform.send('POST', '/api/agents/run', { body: { ...task, task: 'Which hour?' } }))
      .body.run_id
    await platform.send('POST', '/api/agents', { body: { id: 'free', model: 'test/echo' } })
    const free = (await platform.send('POST', '/api/agents/run', { body: { agent_id: 'free', task: 'Hi' } }))
      .body.run_id
    const list = async (query: string) => (await platform.send('GET', `/api/runs?${query}`)).body.runs
    const idsOf = async (query: string) => (await list(query)).map(({ id }: { id: string }) => id)
    const [first, second, third] = await list('sort=created_at')
    expect(first).toMatchObject({
      cost: { amount: 0.00002, currency: 'USD' },
      duration_ms: expect.any(Number),
    })
    expect(second).toMatchObject({ cost: { amount: 0.00004, currency: 'USD' } })
    expect(third).not.toHaveProperty('cost')
    expect(await idsOf('sort=-cost')).toEqual([dear, cheap, free])
    expect(await idsOf('min_cost=0.00003')).toEqual([dear])
    expect(await idsOf('q=MIDNIGHT%20hour')).toEqual([dear])
    expect(await idsOf(`from=${first.created_at}&to=${third.created_at}&sort=created_at&limit=1`)).toEqual([
      cheap,
    ])
    expect(new Set(await idsOf('sort=-duration'))).toEqual(new Set([cheap, dear, free]))
    for (const query of ['sort=cost', 'from=yesterday', 'min_cost=-1', 'q='])
      expect((await platform.send('GET', `/api/runs?${query}`)).status).toBe(400)
  })

  it('A4: a run shows the user and the metadata that it was started with, and so do the runs of a graph', async () => {
    await using platform = await startWith(way, [{ text: 'Noon.' }, { text: 'One.' }])
    const given = { user_id: 'ann', metadata: { ticket: 7, nested: { of: [null] } } }
    const nodes = [{ id: 'n', agent: 'a' }]
    await platform.send('POST', '/api/graphs', { body: { id: 'g', nodes } })
    for (const [path, body] of [
      ['/api/agents/run', { ...task, ...given }],
      ['/api/graphs/run', { graph_id: 'g', input: 'What time is it?', ...given }],
    ] as const) {
      const { run_id } = (await platform.send('POST', path, { body })).body
      expect((await platform.send('GET', `/api/runs/${run_id}`)).body.run).toMatchObject(given)
    }
    const { runs } = (await platform.send('GET', '/api/runs')).body
    expect(runs).toHaveLength(3)
    for (const run of runs) expect(run).toMatchObject(given)
  })

  it('A4: metadata of a run, a task and a run of a graph has 65,536 characters as JSON at most', async () => {
    await using platform = await startWith(way, [{ text: 'Noon.' }])
    await platform.send('POST', '/api/graphs', { body: { id: 'g', nodes: [{ id: 'n', agent: 'a' }] } })
    const metadata = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`k${index}`, 0]))
    for (const [path, rest] of [
      ['/api/agents/run', task],
      ['/api/agents/run/stream', task],
      ['/api/tasks', task],
      ['/api/tasks', { graph_id: 'g', task: 'What time is it?' }],
      ['/api/graphs/run', { graph_id: 'g', input: 'What time is it?' }],
    ] as const) {
      const { status, body } = await platform.send('POST', path, { body: { ...rest, metadata } })
      expect([status, body.message]).toEqual([400, 'metadata: must have at most 65536 characters as JSON'])
    }
    const largest = { text: 'x'.repeat(65_536 - '{"text":""}'.length) }
    const kept = await platform.send('POST', '/api/agents/run', { body: { ...task, metadata: largest } })
    expect(kept.status).toBe(200)
  })

  it('A12: goes on with a conversation, which then holds every message', async () => {
    await using platform = await startWith(way, [{ text: 'Hello Ann.' }, { text: 'Ann.' }])
    const first = await platform.send('POST', '/api/agents/run', { body: { ...task, task: 'I am Ann' } })
    const { conversation_id } = first.body
    await platform.send('POST', '/api/agents/run', { body: { ...task, task: 'Who am I?', conversation_id } })
    expect(JSON.stringify(platform.model.calls[1]?.prompt)).toContain('I am Ann')
    const shown = await platform.send('GET', `/api/conversations?conversation_id=${conversation_id}`)
    expect(shown.body.messages.map(({ content }: { content: string }) => content)).toEqual([
      'I am Ann',
      'Hello Ann.',
      'Who am I?',
      'Ann.',
    ])
  })

  it('A4: the same idempotency key, in the body or the header, gives the same run, and never another task its answer', async () => {
    await using platform = await startWith(way, [{ text: 'Once.' }])
    const first = await platform.send('POST', '/api/agents/run', { body: { ...task, idempotency_key: 'k' } })
    const second = await platform.send('POST', '/api/agents/run', {
      body: task,
      headers: { 'idempotency-key': 'k' },
    })
    expect(second.body).toEqual(first.body)
    const { conversation_id } = first.body
    const named = { ...task, conversation_id, idempotency_key: 'k' }
    expect((await platform.send('POST', '/api/agents/run', { body: named })).body).toEqual(first.body)
    for (const other of [{ task: 'Something else' }, { user_id: 'ben' }, { conversation_id: 'another' }]) {
      const body = { ...task, ...other, idempotency_key: 'k' }
      for (const path of ['/api/agents/run', '/api/agents/run/stream']) {
        const refused = await platform.send('POST', path, { body })
        expect([refused.status, refused.body.code]).toEqual([409, 'conflict'])
      }
    }
    expect(platform.model.calls).toHaveLength(1)
  })

  it('A2, A4: a failed run is 500, a provider that fails 502, with the run in the body', async () => {
    const { APICallError } = await import('@ai-sdk/provider')
    const failure = new APICallError({
      message: 'overloaded',
      url: 'https://models.example',
      requestBodyValues: {},
      statusCode: 500,
      isRetryable: true,
    })
    await using platform = await startWith(way, [{ error: failure }])
    const { status, body, headers } = await platform.send('POST', '/api/agents/run', { body: task })
    expect(status).toBe(502)
    expect(body).toMatchObject({
      success: false,
      error: expect.any(String),
      code: 'model_error',
      run_id: expect.any(String),
      stop_reason: 'error',
      request_id: headers.get('x-request-id'),
    })
    const shown = await platform.send('GET', `/api/runs/${body.run_id}`)
    expect(shown.body.run.status).toBe('failed')
  })

  it('A2, A5: a run that is stopped at its longest duration is 504 and says max_runtime', async () => {
    const until = (signal: AbortSignal | undefined) =>
      new Promise<void>((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(new Error('aborted')), { once: true })
      })
    await using platform = await startWith(way, [{ text: 'late', gate: until }])
    const body = { ...task, limits: { max_runtime: 0.05 } }
    const answer = await platform.send('POST', '/api/agents/run', { body })
    expect([answer.status, answer.body.code, answer.body.stop_reason, answer.body.success]).toEqual([
      504,
      'timeout',
      'max_runtime',
      false,
    ])
  })

  it('A5: other limits are outcomes, told by stop_reason', async () => {
    await using platform = await startWith(way, [{ toolCalls: [{ name: 'time' }] }, { text: 'That is all.' }])
    const answer = await platform.send('POST', '/api/agents/run', {
      body: { ...task, limits: { max_turns: 1 } },
    })
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ stop_reason: 'max_turns', output: 'That is all.' })
  })

  it('A2: refuses a run that cannot start', async () => {
    await using platform = await startWith(way, [])
    await platform.send('POST', '/api/agents', { body: { id: 'keyless', model: 'openai/gpt-x' } })
    await platform.send('POST', '/api/agents', { body: { id: 'lost', model: 'nowhere/x' } })
    const cases: [object, number, string][] = [
      [{ ...task, agent_id: 'nobody' }, 404, 'not_found'],
      [{ agent_id: 'a' }, 400, 'validation_error'],
      [{ ...task, task: '' }, 400, 'validation_error'],
      [{ ...task, task: ['x'] }, 400, 'validation_error'],
      [{ ...task, limits: { max_turns: 'many' } }, 400, 'validation_error'],
      [{ agent_id: 'keyless', task: 'x' }, 400, 'model_not_configured'],
      [{ agent_id: 'lost', task: 'x' }, 400, 'validation_error'],
    ]
    for (const [body, status, code] of cases) {
      for (const path of ['/api/agents/run', '/api/agents/run/stream', '/api/agents/run/stream?format=ui']) {
        const answer = await platform.send('POST', path, { body })
        expect([answer.status, answer.body.code], `${path} ${JSON.stringify(body)}`).toEqual([status, code])
      }
    }
    expect((await platform.send('GET', '/api/runs')).body).toEqual({ runs: [] })
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/events'],
      ['POST', '/cancel'],
    ] as const) {
      expect((await platform.send(method, `/api/runs/none${path}`)).status).toBe(404)
    }
  })

  it('A6: a run can be cancelled from elsewhere', async () => {
    const { promise: started, resolve: onStart } = Promise.withResolvers<void>()
    const gate = (signal: AbortSignal | undefined) => {
      onStart()
      return new Promise<void>((_resolve, reject) =>
        signal?.addEventListener('abort', () => reject(new Error('aborted'))),
      )
    }
    await using platform = await startWith(way, [{ text: 'never', gate }])
    const running = platform.send('POST', '/api/agents/run', { body: task })
    await started
    const { runs } = (await platform.send('GET', '/api/runs?status=running')).body
    const cancelled = await platform.send('POST', `/api/runs/${runs[0].id}/cancel`)
    expect(cancelled.body).toMatchObject({ ok: true, run: { status: 'cancelled' } })
    const { status, body } = await running
    expect([status, body.stop_reason, body.success]).toEqual([200, 'cancelled', false])
    // one that has ended stays as it is
    expect((await platform.send('POST', `/api/runs/${runs[0].id}/cancel`)).body).toEqual(cancelled.body)
  })

  it('A20: a tool that needs a yes waits for it, and the run goes on', async () => {
    await using platform = await startWith(way, [{ toolCalls: [{ name: 'time' }] }, { text: 'Noon.' }])
    await platform.send('PUT', '/api/agents/a', { body: { approval_tools: ['time'] } })
    const waiting = await platform.send('POST', '/api/agents/run', { body: task })
    expect([waiting.status, waiting.body.stop_reason]).toEqual([200, 'approval'])
    const [approval] = waiting.body.approvals
    expect(approval).toMatchObject({ tool: 'time', status: 'pending' })

    const path = `/api/runs/${waiting.body.run_id}/approvals/${approval.id}`
    expect((await platform.send('POST', path, { body: { decision: 'maybe' } })).status).toBe(400)
    const decided = await platform.send('POST', path, { body: { decision: 'approve', reason: 'fine' } })
    expect(decided.body).toMatchObject({
      ok: true,
      approval: { id: approval.id, status: 'approved', reason: 'fine' },
    })
    const again = await platform.send('POST', path, { body: { decision: 'deny' } })
    expect([again.status, again.body.code]).toEqual([409, 'conflict'])
    expect((await platform.send('POST', `${path}x`, { body: { decision: 'deny' } })).status).toBe(404)

    // the stream ends behind the last event of the run
    const stream = await platform.send('GET', `/api/runs/${waiting.body.run_id}/events`)
    expect(stream.text).toContain('event: approval')
    expect(stream.text).toContain('"finalContent":"Noon."')
  })
})
