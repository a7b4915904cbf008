import { APICallError } from '@ai-sdk/provider'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createScriptedModel } from '../../testing/scripted-model.ts'
import { agentOf, createKit, modelsOf, namesOf, toolOf } from '../testing/run-kit.ts'

const answered = (
  statusCode: number | undefined,
  responseHeaders: Record<string, string> = {},
  data?: unknown,
) =>
  new APICallError({
    message: 'secret-in-message',
    url: 'https://api.example/v1',
    requestBodyValues: { prompt: 'secret prompt' },
    responseHeaders,
    data,
    ...(statusCode !== undefined && { statusCode }),
  })

// loaded before the clock stands still
beforeAll(() => createKit({ steps: [{ error: answered(500) }, { text: 'Loaded.' }] }).run())
beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

/** Runs to the end, however long the pauses are; gives the milliseconds that it took too. */
async function runTimed(kit: ReturnType<typeof createKit>, fields: Parameters<typeof kit.run>[1] = {}) {
  const startedAt = Date.now()
  let endedAt = 0
  const running = kit.run('Do it', fields).finally(() => (endedAt = Date.now()))
  await vi.advanceTimersByTimeAsync(300_000)
  return { result: await running, tookMs: endedAt - startedAt }
}

describe('A21: a model call that fails before its first token', () => {
  it.each([408, 409, 429, 500, 502, 503, 529])('A21: is made again after status %i', async (status) => {
    const kit = createKit({
      steps: [{ error: answered(status) }, { error: answered(status) }, { text: 'Third time.' }],
    })
    const { result, tookMs } = await runTimed(kit)
    expect(result).toMatchObject({ success: true, output: 'Third time.', turns: 1 })
    expect(tookMs).toBe(250 + 500)
    kit.model.assertComplete()
  })

  it.each([
    ['nothing but the network failing', Object.assign(new Error('x'), { code: 'ECONNRESET' })],
    ['fetch failing', new TypeError('fetch failed')],
    ['an answer that is not from a model', answered(200)],
    ['no answer', answered(undefined)],
  ])('A21: is made again after %s', async (_, error) => {
    const kit = createKit({ steps: [{ error }, { text: 'Here.' }] })
    expect((await runTimed(kit)).result.output).toBe('Here.')
  })

  it('A21: says in the log, and only there, why a provider could not be reached', async () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:9'), { code: 'ECONNREFUSED' })
    const cause = new AggregateError([refused], '')
    const error = new TypeError('fetch failed', { cause })
    const logger = { warn: vi.fn(), error: vi.fn() }
    const kit = createKit({ steps: [{ error }, { text: 'Here.' }], logger })
    const { result } = await runTimed(kit)
    expect(logger.warn).toHaveBeenCalledExactlyOnceWith(
      expect.stringContaining('the provider could not be reached'),
      { attempt: 1, retryInMs: 250, networkCause: 'connect ECONNREFUSED 127.0.0.1:9' },
    )
    expect(JSON.stringify(result)).not.toContain('ECONNREFUSED')
  })

  it('A21: is made again when the stream ends before anything came', async () => {
    const kit = createKit({ steps: [{ cut: true }, { text: 'Here.' }] })
    expect((await runTimed(kit)).result.output).toBe('Here.')
  })

  it.each([
    ['seconds', { 'retry-after': '7' }, 7000],
    ['milliseconds', { 'retry-after-ms': '1500' }, 1500],
  ])('A21: waits as long as Retry-After says, in %s', async (_, headers, waitMs) => {
    const kit = createKit({ steps: [{ error: answered(429, headers) }, { text: 'Here.' }] })
    expect(await runTimed(kit)).toMatchObject({ tookMs: waitMs, result: { success: true } })
  })

  it('A21: runs that get the same Retry-After retry no sooner, and not all at once', async () => {
    const tookMs = []
    for (const spread of [0, 0.5, 0.999]) {
      const steps = [{ error: answered(429, { 'retry-after': '8' }) }, { text: 'Here.' }]
      const timed = await runTimed(createKit({ steps, random: () => spread }))
      tookMs.push(timed.tookMs)
    }
    expect(tookMs).toEqual([8000, 9000, expect.closeTo(9998, -1)])
  })

  it('A21: says in the stream that it is made again, why, and when', async () => {
    const busy = answered(503, {}, { error: { message: 'Busy.' } })
    const second = createScriptedModel([{ text: 'Here.' }])
    const kit = createKit({
      agents: [agentOf({ fallback_models: ['scripted/second'] })],
      models: modelsOf({
        'scripted/main': createScriptedModel([{ error: busy }, { error: answered(404) }]),
        'scripted/second': second,
      }),
    })
    const { result } = await runTimed(kit)
    const events = await kit.events(result.run_id)
    expect(events.flatMap(({ event }) => (event.event === 'retry' ? event.data : []))).toEqual([
      { model: 'scripted/main', reason: 'the provider responded with status 503: Busy.', in_ms: 250 },
      { model: 'scripted/second', reason: 'the provider responded with status 404', in_ms: 0 },
    ])
  })

  it('A21: waits no less for a Retry-After of nothing than without one', async () => {
    const kit = createKit({ steps: [{ error: answered(503, { 'retry-after': '0' }) }, { text: 'Here.' }] })
    expect((await runTimed(kit)).tookMs).toBe(500)
  })

  it('A21: is given up at once when Retry-After is longer than anybody waits', async () => {
    const kit = createKit({ steps: [{ error: answered(429, { 'retry-after': '3600' }) }] })
    const { result, tookMs } = await runTimed(kit)
    expect(result).toMatchObject({
      success: false,
      code: 'model_error',
      error: expect.stringContaining('429'),
    })
    expect(tookMs).toBe(0)
  })

  it.each([400, 401, 403, 404, 302])('A21: is not made again after status %i', async (status) => {
    const kit = createKit({ steps: [{ error: answered(status, {}, { error: { message: 'why' } }) }] })
    // a stored conversation would cause more calls, to find the rejected part
    const { result } = await runTimed(kit, { store: false })
    expect(result).toMatchObject({ success: false, stop_reason: 'error', code: 'model_error' })
    expect(result.error).toMatch(new RegExp(`^Calling the model scripted/main failed: .*${status}`))
    expect(result.error).not.toContain('secret')
    kit.model.assertComplete()
  })

  it.each([
    ['{"object":"error","message":"No such model."}', ': No such model.'],
    ['{"error":"No such model."}', ': No such model.'],
    ['{"detail":"No such model."}', ': No such model.'],
    ['{"detail":[{"input":"secret prompt"}]}', ' 400'],
    ['<html>No such model.</html>', ' 400'],
  ])('reads the message of a body that has not the shape of the API: %s', async (responseBody, ending) => {
    const error = new APICallError({
      message: 'Bad Request',
      url: 'https://api.example/v1',
      requestBodyValues: {},
      statusCode: 400,
      responseBody,
    })
    const result = await createKit({ steps: [{ error }] }).run()
    expect(result.error?.endsWith(ending)).toBe(true)
  })

  it('repeats no key that the provider quotes, not even one that is unknown here', async () => {
    const key = `sk-${'a1B2'.repeat(8)}`
    const body = { error: { message: `Incorrect API key provided: ${key}.` } }
    const kit = createKit({ steps: [{ error: answered(400, {}, body) }] })
    const result = await kit.run()
    expect(result.error).toContain('Incorrect API key provided: [secret]')
    expect(JSON.stringify([result, await kit.store.listEvents({ limit: 100 })])).not.toContain(key)
  })

  it('A21: goes along the fallback models, stays with the one that answered, and names it', async () => {
    const first = createScriptedModel([{ error: answered(401) }])
    const second = createScriptedModel([{ toolCalls: [{ name: 'note' }] }, { text: 'From the second.' }])
    const kit = createKit({
      agents: [agentOf({ fallback_models: ['gone/away', 'scripted/second'] })],
      models: modelsOf({ 'scripted/main': first, 'scripted/second': second }),
      tools: [toolOf('note', () => 'noted')],
    })
    const { result } = await runTimed(kit)
    expect(result).toMatchObject({ success: true, output: 'From the second.', model: 'scripted/second' })
    first.assertComplete()
    second.assertComplete()
  })

  it('A21: fails with the last error when all models fail', async () => {
    const failing = (status: number) =>
      createScriptedModel(Array.from({ length: 3 }, () => ({ error: answered(status) })))
    const models = { 'scripted/main': failing(500), 'scripted/second': failing(503) }
    const kit = createKit({
      agents: [agentOf({ fallback_models: ['scripted/second'] })],
      models: modelsOf(models),
    })
    expect((await runTimed(kit)).result.error).toContain('503')
    models['scripted/main'].assertComplete()
    models['scripted/second'].assertComplete()
  })

  it('A21: which the provider withheld is an error, not an empty answer', async () => {
    const kit = createKit({ steps: [{ finish: 'content-filter' }] })
    expect((await runTimed(kit)).result).toMatchObject({
      success: false,
      error: expect.stringContaining('blocked the response'),
    })
  })

  it('cancelling ends the pause before a retry', async () => {
    const kit = createKit({ steps: [{ error: answered(503) }] })
    const { runId, result } = await kit.runs.start({ agent_id: 'helper', task: 'x' })
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(2), { timeout: 60_000 })
    await kit.runs.cancel(runId)
    expect(await result).toMatchObject({ stop_reason: 'cancelled' })
  })
})

describe('A21: a model call that fails behind its first token', () => {
  it.each([
    ['an error', { text: 'Half a', error: answered(500) }],
    ['the end of the stream', { text: 'Half a', cut: true }],
    ['a provider that says so', { text: 'Half a', finish: 'error' as const }],
  ])('A21: is not made again after %s; the text and its usage are stored', async (_, step) => {
    const kit = createKit({ steps: [step] })
    const { result } = await runTimed(kit)
    expect(result).toMatchObject({
      success: false,
      stop_reason: 'error',
      code: 'model_error',
      output: 'Half a',
    })
    expect(result.usage.output_tokens).toBeGreaterThan(0)
    const { rows } = await kit.store.listMessages(result.conversation_id, { limit: 5 })
    expect(rows).toMatchObject([
      { message: { role: 'assistant', parts: [{ type: 'text', text: 'Half a' }] } },
      { message: { role: 'user', text: 'Do it' } },
    ])
    expect(namesOf(await kit.events(result.run_id)).at(-1)).toBe('error')
  })

  it('does not make the calls of an answer that broke off', async () => {
    const called = vi.fn()
    const kit = createKit({
      tools: [toolOf('act', called)],
      steps: [{ toolCalls: [{ name: 'act' }], cut: true }],
    })
    const { result } = await runTimed(kit)
    expect(result).toMatchObject({ success: false, tool_calls: 0 })
    expect(called).not.toHaveBeenCalled()
  })
})
