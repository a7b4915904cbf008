import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it, vi } from 'vitest'
import { createRuntime } from '../index.ts'

const key = 'sk-very-secret-0123456789'
const closers: (() => void)[] = []
afterEach(() => {
  vi.useRealTimers()
  for (const close of closers.splice(0)) close()
})

/** A real server. @returns its base address, and the requests that it got. */
async function serve(answer: RequestListener) {
  const seen: IncomingMessage[] = []
  const server = createServer((request, response) => {
    seen.push(request)
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => server.close().closeAllConnections())
  return { seen, base: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const json =
  (toBody: (url: URL) => unknown): RequestListener =>
  (request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(toBody(new URL(request.url ?? '/', 'http://a.test'))))
  }

it('lists what local servers report, with their context windows', async () => {
  const vllm = await serve(
    json(() => ({
      object: 'list',
      data: [{ id: 'org/llama', max_model_len: 8192 }, { id: 7 }, null, { id: 'x'.repeat(201) }],
    })),
  )
  const router = await serve(
    json(() => ({
      data: [
        { id: 'a/b', context_length: 200_000 },
        { id: 'c', context_length: 'many' },
      ],
    })),
  )
  await using runtime = createRuntime({
    environment: { OPENROUTER_API_KEY: key, OPENROUTER_BASE_URL: `${router.base}/api/v1` },
  })
  await runtime.models.saveProvider('vllm', {
    api: 'openai-chat',
    base_url: `${vllm.base}/v1`,
    models: ['mine', 'org/llama'],
  })
  expect(await runtime.models.list()).toEqual({
    models: [
      { id: 'openrouter/a/b', provider: 'openrouter', context_window: 200_000 },
      { id: 'openrouter/c', provider: 'openrouter' },
      { id: 'vllm/mine', provider: 'vllm' },
      { id: 'vllm/org/llama', provider: 'vllm', context_window: 8192 },
    ],
    problems: [],
  })
  expect(vllm.seen.map(({ url, headers }) => [url, headers.authorization])).toEqual([
    ['/v1/models', undefined],
  ])
  expect(router.seen.map(({ url, headers }) => [url, headers.authorization])).toEqual([
    ['/api/v1/models', `Bearer ${key}`],
  ])
})

it('follows the pages of Anthropic and Google', async () => {
  const anthropic = await serve(
    json((url) =>
      url.searchParams.get('after_id') === 'one'
        ? { data: [{ id: 'two', max_input_tokens: 1_000_000 }], has_more: false, last_id: 'two' }
        : { data: [{ id: 'one' }], has_more: true, last_id: 'one' },
    ),
  )
  const google = await serve(
    json((url) =>
      url.searchParams.get('pageToken') === 'p2'
        ? { models: [{ name: 'models/gemini-b', supportedGenerationMethods: ['generateContent'] }] }
        : {
            models: [
              { name: 'models/gemini-a', inputTokenLimit: 1_048_576 },
              { name: 'models/embedding', supportedGenerationMethods: ['embedContent'] },
            ],
            nextPageToken: 'p2',
          },
    ),
  )
  await using runtime = createRuntime({
    environment: {
      ANTHROPIC_API_KEY: key,
      ANTHROPIC_BASE_URL: `${anthropic.base}/v1`,
      GOOGLE_API_KEY: key,
      GOOGLE_BASE_URL: `${google.base}/v1beta`,
    },
  })
  expect(await runtime.models.list()).toEqual({
    models: [
      { id: 'anthropic/one', provider: 'anthropic' },
      { id: 'anthropic/two', provider: 'anthropic', context_window: 1_000_000 },
      { id: 'google/gemini-a', provider: 'google', context_window: 1_048_576 },
      { id: 'google/gemini-b', provider: 'google' },
    ],
    problems: [],
  })
  expect(anthropic.seen[1]?.url).toBe('/v1/models?limit=1000&after_id=one')
  expect(anthropic.seen[0]?.headers).toMatchObject({ 'x-api-key': key, 'anthropic-version': '2023-06-01' })
  expect(google.seen[1]?.url).toBe('/v1beta/models?pageSize=1000&pageToken=p2')
  expect(google.seen[0]?.headers).toMatchObject({ 'x-goog-api-key': key })
})

it('reports providers that cannot be asked, keeps what the operator listed, and never shows a key', async () => {
  const other = await serve(json(() => ({ data: [] })))
  const redirect = await serve(
    (_, response) => void response.writeHead(302, { location: `${other.base}/v1/models` }).end(),
  )
  const refuse = await serve((_, response) => void response.writeHead(401).end(`bad key ${key}`))
  const missing = await serve((_, response) => void response.writeHead(404).end('<html>'))
  const html = await serve((_, response) => void response.end('<html></html>'))
  const large = await serve(
    (_, response) => void response.end(`{"data":[],"x":"${'x'.repeat(9 * 1024 * 1024)}"}`),
  )
  const endless = await serve(
    json((url) => ({ data: [], has_more: true, last_id: `${url.searchParams.get('after') ?? ''}x` })),
  )
  await using runtime = createRuntime({ environment: { OPENAI_API_KEY: key, OPENAI_BASE_URL: 'not a url' } })
  const bases = { redirect, refuse, missing, html, large, endless, gone: { base: 'http://127.0.0.1:1' } }
  for (const [name, { base }] of Object.entries(bases)) {
    await runtime.models.saveProvider(name, {
      api: 'openai-chat',
      base_url: `${base}/v1`,
      api_key: key,
      models: ['m'],
    })
  }
  const { models, problems } = await runtime.models.list()
  expect(models.map(({ id }) => id)).toEqual(Object.keys(bases).map((name) => `${name}/m`))
  expect(problems).toEqual([
    { provider: 'openai', message: expect.stringContaining('OPENAI_BASE_URL') },
    { provider: 'redirect', message: expect.stringContaining('a redirect') },
    { provider: 'refuse', message: expect.stringContaining('rejected the API key (status 401)') },
    { provider: 'missing', message: expect.stringContaining('version path') },
    { provider: 'html', message: expect.stringContaining('not a list of models') },
    { provider: 'large', message: expect.stringContaining('bytes') },
    { provider: 'endless', message: expect.stringContaining('20 pages') },
    { provider: 'gone', message: expect.stringContaining('cannot be reached') },
  ])
  expect(JSON.stringify(problems)).not.toContain(key)
  expect(other.seen).toEqual([])
})

it('waits five seconds for a provider at most, and ends with its caller', async () => {
  vi.useFakeTimers()
  const fetch = async (url: string) =>
    url.includes('silent') ? new Promise<never>(() => {}) : Response.json({ data: [{ id: 'm' }] })
  await using runtime = createRuntime({ environment: {}, fetch })
  await runtime.models.saveProvider('silent', { api: 'openai-chat', base_url: 'http://silent.test/v1' })
  await runtime.models.saveProvider('quick', { api: 'openai-chat', base_url: 'http://quick.test/v1' })
  const listing = runtime.models.list()
  await vi.waitFor(() => expect(vi.getTimerCount()).toBeGreaterThan(1))
  await vi.advanceTimersByTimeAsync(5000)
  const { models, problems } = await listing
  expect(models).toEqual([{ id: 'quick/m', provider: 'quick' }])
  expect(problems).toEqual([{ provider: 'silent', message: expect.stringContaining('within 5 seconds') }])

  const stop = new AbortController()
  const stopped = runtime.models.list(stop.signal)
  stop.abort(new Error('gone'))
  await expect(stopped).rejects.toThrow('gone')
})
