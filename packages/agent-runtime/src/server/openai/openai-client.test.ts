import OpenAI, { APIError, type ClientOptions } from 'openai'
import { describe, expect, it } from 'vitest'
import type { Tool } from '../../ports/tool.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { createScriptedModel, type ScriptedResponse } from '../../testing/scripted-model.ts'
import { startPlatform, type TestPlatformOptions } from '../testing/start-platform.ts'

/** A platform behind a port with an agent `helper`, and the official client for it. */
async function startWith(
  steps: readonly ScriptedResponse[],
  {
    client = {},
    agent = {},
    ...options
  }: TestPlatformOptions & { client?: ClientOptions; agent?: object } = {},
) {
  const model = createScriptedModel(steps)
  const platform = await startPlatform('over HTTP', {
    models: { mine: () => model },
    retry: { attempts: 0 },
    ...options,
  })
  await platform.runtime.agents.create({ id: 'helper', model: 'mine/any', ...agent })
  const openai = new OpenAI({ apiKey: 'any', baseURL: `${platform.url}/v1`, maxRetries: 0, ...client })
  const promptOf = (call: number) =>
    model.calls[call]?.prompt.map(({ role, content }) => [
      role,
      typeof content === 'string'
        ? content
        : content.map((part) => ('text' in part ? part.text : '')).join(''),
    ])
  return Object.assign(platform, { openai, model, promptOf })
}

const pay: Tool = {
  id: 'pay',
  description: 'Pays.',
  inputSchema: { type: 'object' },
  effects: 'external',
  idempotent: false,
  returnsUntrustedContent: false,
  execute: async () => 'paid',
}
const hello = { model: 'helper', messages: [{ role: 'user' as const, content: 'Hello' }] }
const errorOf = (promise: PromiseLike<unknown>) =>
  Promise.resolve(promise).then(
    () => undefined,
    (error: unknown) => (error instanceof APIError ? error : undefined),
  )

describe('the official client of OpenAI', () => {
  it('lists agents as models', async () => {
    await using platform = await startWith([])
    const models = await Array.fromAsync(platform.openai.models.list())
    expect(models).toEqual([
      { id: 'helper', object: 'model', created: expect.any(Number), owned_by: 'homeward' },
    ])
    expect(await platform.openai.models.retrieve('helper')).toEqual(models[0])
    const unknown = await errorOf(platform.openai.models.retrieve('nobody'))
    expect(unknown).toMatchObject({ status: 404, code: 'model_not_found', param: 'model' })
  })

  it('gets a chat completion of the whole history, of which nothing is stored', async () => {
    await using platform = await startWith([{ text: 'Ann.' }])
    const completion = await platform.openai.chat.completions.create({
      model: 'helper',
      user: 'u1',
      max_completion_tokens: 50,
      messages: [
        { role: 'developer', content: 'Be brief.' },
        { role: 'user', content: 'I am Ann.' },
        { role: 'assistant', content: [{ type: 'text', text: 'Hello Ann.' }] },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Who' },
            { type: 'text', text: 'am I?' },
          ],
        },
      ],
    })
    expect(completion).toMatchObject({
      id: expect.stringMatching(/^chatcmpl-/),
      object: 'chat.completion',
      model: 'helper',
      choices: [
        { index: 0, message: { role: 'assistant', content: 'Ann.', refusal: null }, finish_reason: 'stop' },
      ],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    })
    expect(platform.promptOf(0)).toEqual([
      ['system', expect.stringMatching(/Be brief\.$/)],
      ['user', 'I am Ann.'],
      ['assistant', 'Hello Ann.'],
      ['user', 'Who\nam I?'],
    ])
    expect(platform.model.calls[0]?.maxOutputTokens).toBe(50)
    expect((await platform.runtime.conversations.list()).conversations).toEqual([])
    const { runs } = await platform.runtime.runs.list()
    expect(runs).toMatchObject([{ user_id: 'u1', task: 'Who\nam I?' }])
  })

  it('gets the tokens that were read from a cache, and those of reasoning', async () => {
    const usage = { input: 10, output: 5, cached: 4, reasoning: 2 }
    await using platform = await startWith([
      { text: 'Hi.', usage },
      { text: 'Hi.', usage },
    ])
    const completion = await platform.openai.chat.completions.create(hello)
    expect(completion.usage).toMatchObject({
      prompt_tokens_details: { cached_tokens: 4 },
      completion_tokens_details: { reasoning_tokens: 2 },
    })
    const response = await platform.openai.responses.create({ model: 'helper', input: 'Hello' })
    expect(response.usage).toMatchObject({
      input_tokens_details: { cached_tokens: 4 },
      output_tokens_details: { reasoning_tokens: 2 },
    })
  })

  it('streams a chat completion with its usage; tool calls of the agent stay inside', async () => {
    const steps = [{ text: 'Let me look.', toolCalls: [{ name: 'time' }] }, { text: ['It is', ' noon.'] }]
    await using platform = await startWith(steps)
    const stream = await platform.openai.chat.completions.create({
      ...hello,
      stream: true,
      stream_options: { include_usage: true },
    })
    const chunks = await Array.fromAsync(stream)
    expect(chunks.map(({ choices: [choice] }) => choice?.delta.content ?? choice?.finish_reason)).toEqual([
      '',
      'Let me look.',
      '\n\nIt is',
      ' noon.',
      'stop',
      undefined,
    ])
    expect(chunks.every(({ id }) => id === chunks[0]?.id)).toBe(true)
    expect(chunks.slice(0, -1).every(({ usage }) => usage === null)).toBe(true)
    expect(chunks.at(-1)?.usage).toMatchObject({ prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 })
  })

  it('gets a response, whole and as typed events', async () => {
    await using platform = await startWith([{ text: 'Hi.' }, { text: ['Hi', ' again.'] }])
    const whole = await platform.openai.responses.create({
      model: 'helper',
      instructions: 'Be kind.',
      input: 'Hello',
    })
    expect(whole).toMatchObject({ status: 'completed', output_text: 'Hi.', instructions: 'Be kind.' })
    expect(whole.usage).toMatchObject({ input_tokens: 10, output_tokens: 5, total_tokens: 15 })
    expect(platform.promptOf(0)?.[0]?.[1]).toMatch(/Be kind\.$/)
    const stream = platform.openai.responses.stream({
      model: 'helper',
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'Hello' }] },
        ...whole.output.filter((item) => item.type === 'message'),
        { role: 'user', content: 'And again?' },
      ],
    })
    const events = await Array.fromAsync(stream)
    expect(events.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ])
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index))
    expect((await stream.finalResponse()).output_text).toBe('Hi again.')
    expect(platform.promptOf(1)?.map(([role]) => role)).toEqual(['system', 'user', 'assistant', 'user'])
  })

  it('passes the settings of the model on, and names those out of range', async () => {
    await using platform = await startWith([{ text: 'Hi.' }, { text: 'Hi.' }])
    const { chat, responses } = platform.openai
    await chat.completions.create({ ...hello, temperature: 0.2, top_p: 0.5, stop: 'END', seed: 7 })
    expect(platform.model.calls[0]).toMatchObject({
      temperature: 0.2,
      topP: 0.5,
      stopSequences: ['END'],
      seed: 7,
    })
    const reasoning = { effort: 'low' } as const
    const response = await responses.create({ model: 'helper', input: 'Hello', temperature: 1, reasoning })
    expect(response.temperature).toBe(1)
    expect(platform.model.calls[1]).toMatchObject({ temperature: 1, reasoning: 'low' })
    const wrong = await errorOf(chat.completions.create({ ...hello, temperature: 9 }))
    expect(wrong).toMatchObject({ status: 400, param: 'temperature' })
  })

  it('continues a stored conversation that a header names, for the same user only', async () => {
    await using platform = await startWith([{ text: 'Noted.' }, { text: 'Ann.' }])
    const headers = { 'X-Homeward-Conversation': 'c1' }
    const { chat, responses } = platform.openai
    await chat.completions.create({ ...hello, user: 'u1' }, { headers })
    const messages = [
      { role: 'user' as const, content: 'This is not read.' },
      { role: 'assistant' as const, content: 'Nor is this.' },
      { role: 'user' as const, content: 'Who am I?' },
    ]
    await chat.completions.create({ model: 'helper', messages, user: 'u1' }, { headers })
    expect(platform.promptOf(1)?.slice(1)).toEqual([
      ['user', 'Hello'],
      ['assistant', 'Noted.'],
      ['user', 'Who am I?'],
    ])
    const stored = await platform.runtime.conversations.get('c1')
    expect(stored.messages).toHaveLength(4)
    const request = { model: 'helper', input: 'Hello', user: 'u2' }
    expect(await errorOf(responses.create(request, { headers }))).toMatchObject({
      status: 404,
      code: 'conversation_not_found',
    })
  })

  it('gets a text that says what waits for approval, whole and streamed', async () => {
    const steps = [{ toolCalls: [{ name: 'pay' }] }]
    await using platform = await startWith([...steps, ...steps], {
      tools: [pay],
      agent: { approval_tools: ['pay'] },
    })
    const { data, response } = await platform.openai.chat.completions.create(hello).withResponse()
    const text = data.choices[0]?.message.content
    const runId = response.headers.get('x-homeward-run') ?? ''
    const run = await platform.runtime.runs.find(runId)
    expect(run?.status).toBe('waiting')
    expect(text).toContain(`"pay" (POST /api/runs/${runId}/approvals/${run?.approvals[0]?.id})`)
    const stream = await platform.openai.chat.completions.create({ ...hello, stream: true })
    const chunks = await Array.fromAsync(stream)
    expect(chunks[1]?.choices[0]?.delta.content).toContain('waits until a person approves or denies "pay"')
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop')
  })

  it('gets "length" at the token limit', async () => {
    const step = { text: 'A long', finish: 'length' } as const
    await using platform = await startWith([step, step])
    const completion = await platform.openai.chat.completions.create({ ...hello, max_tokens: 2 })
    expect(completion.choices[0]).toMatchObject({ message: { content: 'A long' }, finish_reason: 'length' })
    const response = await platform.openai.responses.create({ model: 'helper', input: 'Hello' })
    expect(response).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
    })
  })

  it('gets errors in the shape of the API, and does not repeat a run that failed', async () => {
    const failing = { error: new RuntimeError('model_error', 'Calling the model failed: it is down.') }
    await using platform = await startWith([failing, failing, failing, { text: 'unused' }], {
      client: { maxRetries: 2 },
    })
    const { chat, responses } = platform.openai
    expect(await errorOf(chat.completions.create({ ...hello, model: 'nobody' }))).toMatchObject({
      status: 404,
      code: 'model_not_found',
      type: 'invalid_request_error',
      param: 'model',
    })
    expect(await errorOf(chat.completions.create(hello))).toMatchObject({
      status: 502,
      code: 'model_error',
      type: 'server_error',
    })
    const stream = await chat.completions.create({ ...hello, stream: true })
    expect(await errorOf(Array.fromAsync(stream))).toMatchObject({ code: 'model_error' })
    const events = await Array.fromAsync(
      await responses.create({ model: 'helper', input: 'Hello', stream: true }),
    )
    expect(events.at(-1)).toMatchObject({
      type: 'response.failed',
      response: { status: 'failed', error: { code: 'model_error' } },
    })
    expect(platform.model.calls).toHaveLength(3)
  })

  it('gets errors of a budget that is used up, a run that takes too long, and one that was canceled', async () => {
    await using platform = await startWith([
      { text: 'Half', hang: true },
      { text: 'Half', hang: true },
    ])
    const { agents, runs } = platform.runtime
    await agents.create({ id: 'poor', model: 'mine/any', budget: { max_tokens: 1 } })
    await agents.create({ id: 'hasty', model: 'mine/any', limits: { max_runtime: 0.05 } })
    const { chat } = platform.openai
    const ask = (model: string) => errorOf(chat.completions.create({ ...hello, model }))
    expect(await ask('poor')).toMatchObject({
      status: 429,
      type: 'insufficient_quota',
      code: 'insufficient_quota',
    })
    expect(await ask('hasty')).toMatchObject({ status: 504, type: 'server_error', code: 'timeout' })
    const canceled = ask('helper')
    await expect.poll(() => platform.model.calls.length).toBe(2)
    await runs.cancel((await runs.list({ agentId: 'helper' })).runs[0]?.id ?? '')
    const error = await canceled
    expect(error).toMatchObject({ status: 409, code: 'cancelled' })
    expect(await runs.find(error?.headers?.get('x-homeward-run') ?? '')).toMatchObject({
      status: 'cancelled',
    })
  })

  it('cancels the run by going away, unless it sent an Idempotency-Key', async () => {
    await using platform = await startWith([
      { text: 'Half', hang: true },
      { text: 'Half', hang: true },
      { text: 'Half', hang: true },
    ])
    const going = async (stream: boolean, headers = {}) => {
      const stop = new AbortController()
      const answer = platform.openai.chat.completions.create(
        { ...hello, stream },
        { signal: stop.signal, headers },
      )
      const seen = answer.then(async (given) => {
        if (Symbol.asyncIterator in given) for await (const _ of given) void _
      })
      const calls = platform.model.calls.length
      await expect.poll(() => platform.model.calls.length).toBe(calls + 1)
      stop.abort()
      await seen.catch(() => {})
      const { runs } = await platform.runtime.runs.list({ limit: 1 })
      return runs[0]?.id ?? ''
    }
    for (const stream of [false, true]) {
      const id = await going(stream)
      await expect.poll(async () => (await platform.runtime.runs.find(id))?.status).toBe('cancelled')
    }
    const kept = await going(false, { 'Idempotency-Key': 'k' })
    await new Promise((resolve) => setImmediate(resolve))
    expect((await platform.runtime.runs.find(kept))?.status).toBe('running')
    await platform.runtime.runs.cancel(kept)
  })

  it('cancels the run by giving up the stream of a handler in the same process', async () => {
    const model = createScriptedModel([{ text: 'Half', hang: true }])
    await using platform = await startPlatform('in process', { models: { mine: () => model } })
    await platform.runtime.agents.create({ id: 'helper', model: 'mine/any' })
    const response = await platform.fetch('/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...hello, stream: true }),
    })
    const runId = response.headers.get('x-homeward-run') ?? ''
    for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
      if (text.includes('Half')) break // gives the body up
    }
    await expect.poll(async () => (await platform.runtime.runs.find(runId))?.status).toBe('cancelled')
  })
})
