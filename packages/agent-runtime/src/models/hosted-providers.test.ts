import { http, HttpResponse } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { agentOf, createKit, firstOf, namesOf, toolOf } from '../runs/testing/run-kit.ts'
import { createModels } from './create-models.ts'
import { providerWires, type ProviderWire } from './testing/provider-wire.ts'

const key = 'sk-test-key-0123456789'
const server = setupServer()
beforeAll(() => server.listen({ onUnhandledFrame: 'error' }))
afterEach(() => server.resetHandlers())
afterAll(() => server.close())

interface Sent {
  readonly headers: Headers
  readonly body: Record<string, unknown>
}
type Reply = () => Response

/** Answers a provider's calls one after the other; gives what was sent. */
function answer(url: string, ...replies: readonly Reply[]): Sent[] {
  const sent: Sent[] = []
  server.use(
    http.post(url, async ({ request }) => {
      const reply = replies[sent.length] ?? replies.at(-1)
      sent.push({ headers: request.headers, body: (await request.clone().json()) as Sent['body'] })
      return reply?.() ?? HttpResponse.error()
    }),
  )
  return sent
}

const eventStream = (events: readonly string[], fail = false): Response => {
  const body = new ReadableStream({
    start(controller) {
      for (const event of events) controller.enqueue(new TextEncoder().encode(event))
      if (fail) controller.error(new TypeError('terminated'))
      else controller.close()
    },
  })
  return new HttpResponse(body, { headers: { 'content-type': 'text/event-stream' } })
}

const modelsFor = (wire: ProviderWire, environment: Record<string, string> = {}) =>
  createModels({
    settings: { read: async () => ({}) },
    environment: { [wire.keyVariable]: key, ...environment },
  })

const add = toolOf('add', ({ a, b }) => Number(a) + Number(b), {
  inputSchema: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
  },
})

const kitFor = (wire: ProviderWire) =>
  createKit({
    agents: [agentOf({ model: wire.model, personality: 'You add.' })],
    models: modelsFor(wire),
    tools: [add],
    secrets: async () => [key],
    retry: { baseMs: 0 },
  })

const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }]
const tools = [{ type: 'function' as const, name: 'add', inputSchema: { type: 'object' as const } }]

describe.for(Object.entries(providerWires))('A21: %s', ([, wire]) => {
  const generateUrl = wire.baseUrl + wire.generatePath
  const streamUrl = wire.baseUrl + wire.streamPath
  const [keyHeader, toValue] = wire.keyHeader

  it('A21: answers in one piece, with text and with a tool call', async () => {
    const { model, name } = await modelsFor(wire).resolve(wire.model, undefined)
    const sent = answer(
      generateUrl,
      () => HttpResponse.json(wire.text as object),
      () => HttpResponse.json(wire.call as object),
    )
    const text = await model.doGenerate({ prompt })
    expect(text.content).toMatchObject([{ type: 'text', text: 'Hello world' }])
    expect(text.usage).toMatchObject({ inputTokens: { total: 12 }, outputTokens: { total: 3 } })
    const call = await model.doGenerate({ prompt, tools })
    expect(call.content).toMatchObject([{ type: 'tool-call', toolName: 'add', input: '{"a":1,"b":2}' }])
    expect(name).toBe(wire.model)
    expect(sent[0]?.headers.get(keyHeader)).toBe(toValue(key))
  })

  it('A21: streams a whole run: a tool call in pieces, its result, the answer', async () => {
    const sent = answer(
      streamUrl,
      () => eventStream(wire.callEvents),
      () => eventStream(wire.textEvents),
    )
    const kit = kitFor(wire)
    const result = await kit.run('1 + 2?')
    expect(result).toMatchObject({
      success: true,
      output: 'Hello world',
      model: wire.model,
      steps: [{ tool: 'add', args: { a: 1, b: 2 }, result: 3 }],
      usage: { input_tokens: 24, output_tokens: 6 },
    })
    const events = await kit.events(result.run_id)
    expect(namesOf(events).filter((name) => name === 'assistant')).toHaveLength(2)
    expect(firstOf(events).tool_start).toMatchObject({ name: 'add', args: { a: 1, b: 2 } })
    expect(sent).toHaveLength(2)
    expect(JSON.stringify(sent[0]?.body)).toContain('You add.')
    expect(JSON.stringify(sent[1]?.body)).toMatch(/3/)
    expect(sent.every(({ headers }) => headers.get(keyHeader) === toValue(key))).toBe(true)
  })

  it.each([
    [401, 1, /rejected the API key/],
    [400, 1, /status 400: no good/],
    [429, 3, /status 429/],
    [500, 3, /status 500/],
    [529, 3, /status 529/],
  ])('A21: status %i ends the run after %i calls', async (status, calls, told) => {
    const sent = answer(streamUrl, () =>
      HttpResponse.json(wire.error(`no good ${key}`) as object, { status }),
    )
    // a stored conversation would cause more calls, to find the rejected part
    const result = await kitFor(wire).run('Do it', { store: false })
    expect(result).toMatchObject({ success: false, code: 'model_error', error: expect.stringMatching(told) })
    expect(JSON.stringify(result)).not.toContain(key)
    expect(sent).toHaveLength(calls)
  })

  it('A21: a 429 and a 500 before the answer are only retries', async () => {
    const fail = (status: number) => () =>
      HttpResponse.json(wire.error('later') as object, { status, headers: { 'retry-after': '0' } })
    const sent = answer(streamUrl, fail(429), fail(500), () => eventStream(wire.textEvents))
    expect((await kitFor(wire).run()).output).toBe('Hello world')
    expect(sent).toHaveLength(3)
  })

  it.each([
    [
      'HTML with status 200',
      () => HttpResponse.html('<h1>Welcome to the proxy</h1>'),
      /not a model response. Check the base URL/,
    ],
    ['HTML with status 502', () => HttpResponse.html('<h1>Bad gateway</h1>', { status: 502 }), /status 502/],
    ['no connection', () => HttpResponse.error(), /could not be reached/],
    ['an empty stream', () => eventStream([]), /not a model response/],
  ] as const)('A21: %s is a clear error after three calls', async (_, reply, told) => {
    const sent = answer(streamUrl, reply)
    const result = await kitFor(wire).run()
    expect(result).toMatchObject({ success: false, code: 'model_error', stop_reason: 'error' })
    expect(result.error).toMatch(/^Calling the model/)
    expect(result.error).toMatch(told)
    expect(result.error).not.toContain('<h1>')
    expect(sent).toHaveLength(3)
  })

  it.each([
    ['ends', false],
    ['breaks', true],
  ])('A21: a stream that %s half way keeps its text and is not asked for again', async (_, fails) => {
    const firstWord = wire.textEvents.findIndex((event) => event.includes('Hello '))
    const sent = answer(streamUrl, () => eventStream(wire.textEvents.slice(0, firstWord + 1), fails))
    const result = await kitFor(wire).run()
    expect(result).toMatchObject({ success: false, code: 'model_error', stop_reason: 'error' })
    if (!fails) expect(result.output).toBe('Hello ')
    if (!fails) expect(sent).toHaveLength(1)
  })

  it('A21: a redirect is not followed: the key stays with its provider', async () => {
    const elsewhere = answer('https://elsewhere.example/*', () => HttpResponse.json({}))
    const sent = answer(
      streamUrl,
      () => new HttpResponse(null, { status: 307, headers: { location: 'https://elsewhere.example/x' } }),
    )
    const result = await kitFor(wire).run()
    expect(result).toMatchObject({ success: false, code: 'model_error' })
    expect(elsewhere).toHaveLength(0)
    expect(sent).toHaveLength(1)
  })

  it('A21: goes to the base URL of the environment, which carries the version path', async () => {
    const base = 'http://127.0.0.1:4010/custom/v9'
    const { path, text } = wire.elsewhere ?? { path: wire.generatePath, text: wire.text }
    const sent = answer(base + path, () => HttpResponse.json(text as object))
    const { model } = await modelsFor(wire, { [wire.baseUrlVariable]: `${base}/` }).resolve(
      wire.model,
      undefined,
    )
    expect((await model.doGenerate({ prompt })).content).toMatchObject([{ text: 'Hello world' }])
    expect(sent).toHaveLength(1)
  })

  it('A21: says which key is missing and where it goes', async () => {
    const models = createModels({ settings: { read: async () => ({}) }, environment: {} })
    await expect(models.resolve(wire.model, undefined)).rejects.toMatchObject({
      code: 'model_not_configured',
      message: expect.stringContaining(wire.keyVariable),
    })
  })
})

it.each([
  ['openrouter/auto', undefined, 'openrouter/auto'],
  ['openrouter/auto', 'openrouter', 'openrouter/auto'],
  ['auto', 'openrouter', 'openrouter/auto'],
  ['openrouter/meta/llama-4', undefined, 'meta/llama-4'],
])('A21: %s (provider %s) asks OpenRouter for %s', async (name, provider, expected) => {
  const wire = providerWires['openrouter']!
  const sent = answer(wire.baseUrl + wire.generatePath, () => HttpResponse.json(wire.text as object))
  const { model } = await modelsFor(wire).resolve(name, provider)
  await model.doGenerate({ prompt })
  expect(sent[0]?.body['model']).toBe(expected)
})
