import { inspect } from 'node:util'
import { createUserClient, createDeviceClient, DeviceCloudError } from '@homeward/device-sdk'
import { http, HttpResponse, type HttpResponseResolver } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'

const apiKey = `hw_${'topsecret'.repeat(5)}`.slice(0, 46)
const session = 'a-session-that-is-secret'
const baseUrl = 'https://cloud.example'
const nowMs = Date.parse('2026-01-01T00:00:00Z')
const hits: Request[] = []
const server = setupServer()

beforeAll(() => server.listen({ onUnhandledFrame: 'error' }))
afterEach(() => {
  server.resetHandlers()
  hits.length = 0
})
afterAll(() => server.close())
server.events.on('request:start', ({ request }) => void hits.push(request))

const device = createDeviceClient({ baseUrl, apiKey, now: () => nowMs })
const dashboard = createUserClient({
  baseUrl,
  headers: { cookie: `theme=dark; sid=${session}` },
  now: () => nowMs,
})
const file = () => ({ fileName: 'a', size: 3, content: new Blob(['abc']).stream() })

/** Every call, with a body that holds nothing secret. */
const calls: Record<string, () => Promise<unknown>> = {
  sendHeartbeat: () => device.sendHeartbeat({ os: 'Linux' }),
  listPendingSearches: () => device.listPendingSearches({ waitSeconds: 30 }),
  reportSearch: () => device.reportSearch({ queryId: 'q', results: {} }),
  listPendingUploads: () => device.listPendingUploads(),
  uploadFile: () => device.uploadFile({ requestId: 'r', file: file() }),
  listDevices: () => dashboard.listDevices(),
  registerDevice: () => dashboard.registerDevice({ body: { name: 'a', type: 'b', platform: 'c' } }),
  createSearches: () =>
    dashboard.createSearches({ body: { query: 'a', scope: ['files'], deviceIds: ['d'] } }),
  listSearches: () => dashboard.listSearches(),
  rotateDeviceKey: () => dashboard.rotateDeviceKey({ params: { id: 'd' } }),
  downloadFile: () => dashboard.downloadFile({ params: { id: 'f', fileName: 'a' } }),
}
const names = Object.keys(calls)
const answeringJson = names.filter((name) => name !== 'downloadFile')

/** The error of a call; neither it nor its causes hold a secret, however they are printed. */
async function failureOf(work: Promise<unknown>): Promise<DeviceCloudError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!DeviceCloudError.is(error)) throw new Error('expected a DeviceCloudError', { cause: error })
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    const printed = [
      each.message,
      each.stack,
      String(each),
      JSON.stringify(each),
      inspect(each, { depth: 20, showHidden: true, getters: true }),
    ].join('\n')
    expect(printed).not.toContain(apiKey)
    expect(printed).not.toContain(session)
  }
  return error
}

async function expectFailure(name: string, answer: HttpResponseResolver, expected: object): Promise<void> {
  server.use(http.all(`${baseUrl}/*`, answer))
  expect(await failureOf(calls[name]!())).toMatchObject(expected)
  expect(hits.map((request) => new URL(request.url).origin)).toEqual([baseUrl])
}

/** The credential of a request, for a cloud that says it back. */
function echo(request: Request): string {
  return request.headers.has('authorization') ? apiKey : `${session} sid=${session}`
}

const retryAfter =
  (status: number, value: string): HttpResponseResolver =>
  ({ request }) =>
    HttpResponse.json(
      { error: 'Rate limit exceeded', message: `refused: ${echo(request)}` },
      { status, headers: { 'retry-after': value } },
    )

describe.each(names)('%s against a cloud that misbehaves', (name) => {
  it.each([
    ['seconds', 429, '17', { code: 'RATE_LIMITED', retryAfterMs: 17_000 }],
    ['a date', 429, 'Thu, 01 Jan 2026 00:02:00 GMT', { code: 'RATE_LIMITED', retryAfterMs: 120_000 }],
    ['a date that is over', 429, 'Thu, 01 Jan 2025 00:00:00 GMT', { code: 'RATE_LIMITED', retryAfterMs: 0 }],
    ['seconds', 503, '5', { code: 'SERVER_FAILED', retryAfterMs: 5000 }],
    ['a date', 503, 'Thu, 01 Jan 2026 00:00:30 GMT', { code: 'SERVER_FAILED', retryAfterMs: 30_000 }],
    ['nonsense', 503, 'soon', { code: 'SERVER_FAILED', retryAfterMs: undefined }],
    ['a year', 503, '31536000', { code: 'SERVER_FAILED', retryAfterMs: 86_400_000 }],
  ])('tells how long to wait: %s with a %i', async (_, status, value, expected) => {
    await expectFailure(name, retryAfter(status, value), { ...expected, status, retryable: true })
  })

  it('takes HTML with 502 for a server that failed', async () => {
    const answer: HttpResponseResolver = ({ request }) =>
      HttpResponse.html(`<h1>Bad gateway</h1>${echo(request)}`, { status: 502 })
    await expectFailure(name, answer, { code: 'SERVER_FAILED', status: 502, retryable: true })
  })

  it('takes a connection that breaks off before any answer for a cloud out of reach', async () => {
    await expectFailure(name, () => HttpResponse.error(), { code: 'UNREACHABLE', retryable: true })
  })

  it.each([301, 302, 303, 307, 308])('follows no %i, and sends its key nowhere else', async (status) => {
    const answer: HttpResponseResolver = ({ request }) => {
      const location = `https://${encodeURIComponent(echo(request))}.evil.example/${echo(request)}`
      return new HttpResponse(null, { status, headers: { location } })
    }
    // A streamed file is sent with `redirect: 'error'`, and fetch then keeps the status to itself.
    const seen = name === 'uploadFile' ? {} : { status }
    await expectFailure(name, answer, { code: 'REDIRECTED', ...seen, retryable: true })
  })

  it('takes an error body of any form', async () => {
    for (const body of ['', 'null', '[]', '{"error":{"nested":true}}', '{"error":', '"text"']) {
      hits.length = 0
      await expectFailure(name, () => new HttpResponse(body, { status: 500 }), { code: 'SERVER_FAILED' })
    }
  })
})

describe.each(answeringJson)('%s against a 200 that is no acknowledgement', (name) => {
  it.each<[string, HttpResponseResolver]>([
    ['HTML', () => HttpResponse.html('<h1>Sign in</h1>')],
    ['nothing', () => new HttpResponse('', { status: 200 })],
    ['204', () => new HttpResponse(null, { status: 204 })],
    ['null', () => HttpResponse.json(null)],
    ['a list', () => HttpResponse.json([])],
    ['another object', ({ request }) => HttpResponse.json({ ok: true, [echo(request)]: echo(request) })],
    ['an error body', () => HttpResponse.json({ error: 'Failed to process request' })],
    ['JSON that was cut', () => new HttpResponse('{"success":true,"devices":[{"id":"a')],
    ['bytes that are no text', () => new HttpResponse(new Uint8Array([0xff, 0xfe, 0x00, 0x80]).buffer)],
  ])('refuses %s', async (_, answer) => {
    await expectFailure(name, answer, { code: 'BAD_REPLY', retryable: true })
  })

  it('refuses an answer that is larger than it may be, without reading it to its end', async () => {
    const chunk = new Uint8Array(1024 * 1024).fill(0x20)
    let sent = 0
    const body = new ReadableStream({
      pull(controller) {
        sent += 1
        controller.enqueue(chunk)
      },
    })
    await expectFailure(name, () => new HttpResponse(body), { code: 'BAD_REPLY' })
    expect(sent).toBeLessThan(20)
  })

  it('notices a body that breaks off', async () => {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"success":true,'))
        controller.error(new Error(`reset ${apiKey.slice(0, 2)}`))
      },
    })
    await expectFailure(name, () => new HttpResponse(body), { code: 'UNREACHABLE', retryable: true })
  })
})

describe('what is odd, and good enough', () => {
  it('takes the documented body under any content type, with fields it does not know', async () => {
    const body = { success: true, status: 'online', more: [1], pending: { searches: 0, uploads: 0, x: 1 } }
    for (const type of ['text/plain', 'application/problem+json', 'text/html']) {
      const answer = () => new HttpResponse(JSON.stringify(body), { headers: { 'content-type': type } })
      server.use(http.post(`${baseUrl}/api/devices/heartbeat`, answer))
      expect(await device.sendHeartbeat({})).toMatchObject({ success: true, status: 'online' })
    }
  })

  it('takes 201 and 202 for success', async () => {
    for (const status of [201, 202]) {
      const answer = () => HttpResponse.json({ requests: [] }, { status })
      server.use(http.get(`${baseUrl}/api/devices/search/pending`, answer))
      expect(await device.listPendingSearches()).toMatchObject({ requests: [], waitApplied: false })
    }
  })
})
