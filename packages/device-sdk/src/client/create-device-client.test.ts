import { inspect } from 'node:util'
import { HttpResponse, http, delay } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createUserClient, createDeviceClient, DeviceCloudError, Secret } from '../index.ts'

const apiKey = 'hw_topsecretkey'
const baseUrl = 'https://cloud.example'
const hits: Request[] = []
const server = setupServer()

beforeAll(() => server.listen({ onUnhandledFrame: 'error' }))
afterEach(() => {
  server.resetHandlers()
  hits.length = 0
})
afterAll(() => server.close())
server.events.on('request:start', ({ request }) => void hits.push(request))

const client = createDeviceClient({ baseUrl, apiKey: new Secret(apiKey) })
const beat = () => client.sendHeartbeat({ os: 'linux' })
const onBeat = (answer: Parameters<typeof http.post>[1]) =>
  server.use(http.post(`${baseUrl}/api/devices/heartbeat`, answer))

/** The error of a call, which must not hold the key however it is printed. */
async function failure(work: Promise<unknown>): Promise<DeviceCloudError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!DeviceCloudError.is(error)) throw new Error('expected a DeviceCloudError', { cause: error })
  expect(inspect(error, { depth: 20, showHidden: true, getters: true })).not.toContain(apiKey)
  expect(`${error.stack}${JSON.stringify(error)}`).not.toContain(apiKey)
  return error
}

describe('a cloud that misbehaves', () => {
  it.each([
    [
      '503',
      () => new HttpResponse('busy', { status: 503 }),
      { code: 'SERVER_FAILED', status: 503, retryable: true },
    ],
    [
      '500 with the key in it',
      () => HttpResponse.json({ error: `bad ${apiKey}` }, { status: 500 }),
      { code: 'SERVER_FAILED' },
    ],
    [
      '401',
      () => HttpResponse.json({ error: 'Invalid or missing API key' }, { status: 401 }),
      { code: 'UNAUTHORIZED', retryable: false },
    ],
    [
      '400',
      () => HttpResponse.json({ error: 'Validation error', message: 'metadata: wrong' }, { status: 400 }),
      { code: 'REJECTED', status: 400, retryable: false },
    ],
    ['404', () => HttpResponse.json({ error: 'Device not found' }, { status: 404 }), { code: 'NOT_FOUND' }],
    [
      '413',
      () => HttpResponse.json({ error: 'Payload too large' }, { status: 413 }),
      { code: 'PAYLOAD_TOO_LARGE' },
    ],
    ['408', () => new HttpResponse(null, { status: 408 }), { code: 'SERVER_FAILED', retryable: true }],
    [
      '429 with seconds',
      () => new HttpResponse(null, { status: 429, headers: { 'retry-after': '17' } }),
      { code: 'RATE_LIMITED', retryAfterMs: 17_000 },
    ],
    ['HTML', () => HttpResponse.html('<h1>Sign in</h1>'), { code: 'BAD_REPLY', retryable: true }],
    ['a 200 with a wrong body', () => HttpResponse.json({ ok: true }), { code: 'BAD_REPLY' }],
    ['a body cut in the middle', () => new HttpResponse('{"success":true,"sta'), { code: 'BAD_REPLY' }],
    ['a network error', () => HttpResponse.error(), { code: 'UNREACHABLE', retryable: true }],
    [
      'a redirect to another origin',
      () => new HttpResponse(null, { status: 308, headers: { location: `https://evil.example/${apiKey}` } }),
      { code: 'REDIRECTED' },
    ],
  ])('answers %s with a typed error after one request', async (_, answer, expected) => {
    onBeat(answer)
    expect(await failure(beat())).toMatchObject(expected)
    expect(hits).toHaveLength(1)
  })

  it('reads Retry-After as a date', async () => {
    const nowMs = Date.parse('2026-01-01T00:00:00Z')
    onBeat(
      () =>
        new HttpResponse(null, { status: 503, headers: { 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' } }),
    )
    const timed = createDeviceClient({ baseUrl, apiKey, now: () => nowMs })
    expect((await failure(timed.sendHeartbeat({}))).retryAfterMs).toBe(30_000)
    expect(hits).toHaveLength(1)
  })

  it('gives up on a connection that breaks in the middle of the body', async () => {
    onBeat(() => {
      const body = new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode('{"success":'))
          controller.error(new Error('reset'))
        },
      })
      return new HttpResponse(body)
    })
    expect((await failure(beat())).code).toBe('UNREACHABLE')
  })

  it('The agent: does not read an endless list', async () => {
    const chunk = new Uint8Array(1024 * 1024).fill(32)
    server.use(
      http.get(
        `${baseUrl}/api/devices/search/pending`,
        () => new HttpResponse(new ReadableStream({ pull: (controller) => controller.enqueue(chunk) })),
      ),
    )
    expect((await failure(client.listPendingSearches())).code).toBe('BAD_REPLY')
    expect(hits).toHaveLength(1)
  })

  it('rejects with the reason of its signal', async () => {
    onBeat(() => delay('infinite'))
    const controller = new AbortController()
    const reason = new Error('enough')
    const pending = client.sendHeartbeat({}, controller.signal)
    controller.abort(reason)
    await expect(pending).rejects.toBe(reason)
  })
})

describe('calls', () => {
  it('tells whether the cloud held the list as asked', async () => {
    const applied = new Map([
      ['wait=30', { waitApplied: true, appliedSeconds: 30 }],
      ['respond-async, wait=5', { waitApplied: true, appliedSeconds: 5 }],
      ['wait', { waitApplied: true }],
      ['respond-async', { waitApplied: false }],
      ['waiting', { waitApplied: false }],
    ])
    for (const [header, expected] of applied) {
      server.use(
        http.get(`${baseUrl}/api/devices/search/pending`, () =>
          HttpResponse.json({ requests: [] }, { headers: { 'preference-applied': header } }),
        ),
      )
      expect(await client.listPendingSearches({ waitSeconds: 30 })).toEqual({
        requests: [],
        invalid: [],
        ...expected,
      })
    }
    expect(hits.every(({ headers }) => headers.get('prefer') === 'wait=30')).toBe(true)
    expect(hits[0]?.headers.get('authorization')).toBe(`Bearer ${apiKey}`)
  })

  it('takes the outcome of another search for no acknowledgement', async () => {
    server.use(
      http.post(`${baseUrl}/api/devices/search`, () =>
        HttpResponse.json({ success: true, queryId: 'b', status: 'completed' }),
      ),
    )
    expect((await failure(client.reportSearch({ queryId: 'a', results: {} }))).code).toBe('BAD_REPLY')
  })

  it('asks the key source at every call and knows a key that was not refused yet', async () => {
    let current = 'hw_one'
    const changing = createDeviceClient({ baseUrl, apiKey: async () => new Secret(`${current}\n`) })
    onBeat(() => HttpResponse.json({ error: 'Invalid or missing API key' }, { status: 401 }))
    expect((await failure(changing.sendHeartbeat({}))).code).toBe('UNAUTHORIZED')
    expect(await changing.hasNewKey()).toBe(false)
    current = 'hw_two'
    expect(await changing.hasNewKey()).toBe(true)
    await failure(changing.sendHeartbeat({}))
    expect(hits.map(({ headers }) => headers.get('authorization'))).toEqual([
      'Bearer hw_one',
      'Bearer hw_two',
    ])
  })

  it.each([
    '',
    ' ',
    'with space',
    'line\nbreak',
    'ünicode',
    undefined,
    null,
    5,
    {},
    [apiKey],
    new Secret(''),
  ])(
    'refuses the key "%s" when the client is created, and from a source, without quoting it',
    async (given) => {
      const key = given as string
      const refusal = {
        code: 'INVALID_OPTION',
        message:
          'Reading the API key failed: "apiKey" must be a string that is valid in an HTTP header. Copy the key again.',
      }
      expect(() => createDeviceClient({ baseUrl, apiKey: key })).toThrow(expect.objectContaining(refusal))
      const broken = createDeviceClient({ baseUrl, apiKey: () => key })
      expect(await failure(broken.sendHeartbeat({}))).toMatchObject(refusal)
      expect(hits).toHaveLength(0)
    },
  )

  it.each([undefined, '', 'x', 'https://ada:hw_topsecretkey@cloud.example', 'https://cloud.example?a=1'])(
    'refuses the base URL "%s" when the client is created, without repeating it',
    async (given) => {
      const attempts = [createDeviceClient, createUserClient].map(
        async (create) => void create({ baseUrl: given as string, apiKey }),
      )
      for (const attempt of attempts) {
        expect(await failure(attempt)).toMatchObject({
          code: 'INVALID_OPTION',
          message: expect.stringMatching(/: "baseUrl" must be an address such as https:/) as string,
        })
      }
    },
  )

  it('does not pass on what a key source says when it fails', async () => {
    const broken = createDeviceClient({
      baseUrl,
      apiKey: () => {
        throw Object.assign(new Error(`cannot parse ${apiKey}`), { code: 'EPARSE' })
      },
    })
    const error = await failure(broken.sendHeartbeat({}))
    expect(error).toMatchObject({
      code: 'STATE_UNAVAILABLE',
      message: 'Reading the API key failed: the "apiKey" function threw with EPARSE.',
    })
  })
})
