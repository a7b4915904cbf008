import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { deviceCloudOperations } from '../device-cloud/index.ts'
import { ClientError, createCaller, createClient, type ClientOptions } from './index.ts'

const key = 'hw_topsecretkey'
const authorization = `Bearer ${key}`
const baseUrl = 'https://cloud.example/base'

function connect(
  answer: (url: string, init: RequestInit) => Response | Promise<Response>,
  more: Partial<ClientOptions> = {},
) {
  const fetch = vi.fn(async (url: string, init: RequestInit) => answer(url, init))
  const options = { baseUrl, fetch, headers: { authorization }, ...more }
  return {
    fetch,
    client: createClient(deviceCloudOperations, options),
    call: createCaller(deviceCloudOperations, options),
  }
}

async function failure(work: Promise<unknown>): Promise<ClientError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!ClientError.is(error)) throw new Error('expected a ClientError', { cause: error })
  const { name, code, message, detail, stack, cause } = error
  expect(
    JSON.stringify({ name, code, message, detail, body: error.error, stack, cause: String(cause) }),
  ).not.toContain(key)
  return error
}

describe('requests', () => {
  it('puts path parameters, query and body where the table says', async () => {
    const { fetch, client } = connect(() => Response.json({ success: true, id: 'a/b', status: 'canceled' }))
    await client.cancelUpload({ params: { id: 'a/b' } })
    expect(fetch.mock.calls[0]?.[0]).toBe(
      'https://cloud.example/base/api/devices/files/upload-requests/a%2Fb',
    )
    expect(fetch.mock.calls[0]?.[1]).toMatchObject({ method: 'DELETE', redirect: 'manual' })
  })

  it('gives status and headers with the reply on request', async () => {
    const headers = { 'preference-applied': 'wait=5' }
    const { fetch, call } = connect(() => Response.json({ requests: [], more: 1 }, { headers }))
    const answer = await call('listPendingSearches', { headers: { prefer: 'wait=5' } })
    expect(answer).toMatchObject({ status: 200, body: { requests: [] } })
    expect(answer.headers.get('preference-applied')).toBe('wait=5')
    expect(new Headers(fetch.mock.calls[0]?.[1].headers).get('prefer')).toBe('wait=5')
  })

  it.each(['..', '.', ''])('refuses the path parameter "%s", which would reach another path', async (id) => {
    const { fetch, client } = connect(() => Response.json({}))
    expect((await failure(client.deleteDevice({ params: { id } }))).code).toBe('INVALID_REQUEST')
    expect(fetch).not.toHaveBeenCalled()
  })

  it.each([
    undefined,
    '',
    'cloud.example',
    '/api',
    'ftp://cloud.example',
    'https://user:pass@cloud.example',
    'https://cloud.example/?tenant=a',
    'https://cloud.example?',
    'https://cloud.example/#/devices',
  ])('refuses the base URL %s when the client is created, without repeating it', (baseUrl) => {
    const options = { baseUrl: baseUrl as string }
    for (const create of [createClient, createCaller]) {
      expect(() => create(deviceCloudOperations, options)).toThrow(
        expect.objectContaining({
          code: 'INVALID_REQUEST',
          message:
            'Creating the client failed: "baseUrl" must be an address such as https://cloud.example, without password, query and fragment.',
        }),
      )
    }
    const toError = () => new Error('own')
    expect(() => createClient(deviceCloudOperations, { ...options, toError })).toThrow('own')
  })

  it('takes a base URL with space around it, a path and slashes behind it', async () => {
    const { fetch, client } = connect(() => Response.json({ devices: [] }), {
      baseUrl: ' HTTPS://cloud.example:8443/@base//\n',
    })
    await client.listDevices()
    expect(fetch.mock.calls[0]?.[0]).toBe('https://cloud.example:8443/@base/api/devices')
  })

  it.each([0, -1, Number.NaN])('refuses the time limit %d, by call or for all of them', async (timeoutMs) => {
    const { fetch, client } = connect(() => Response.json({ devices: [] }), { timeoutMs })
    for (const call of [client.listDevices(), client.listDevices({ timeoutMs })]) {
      expect(await failure(call)).toMatchObject({
        code: 'INVALID_REQUEST',
        message: `listDevices failed: "timeoutMs" must be a number greater than 0, got ${timeoutMs}.`,
      })
    }
    expect(fetch).not.toHaveBeenCalled()
  })

  it('does not quote a header that HTTP cannot carry', async () => {
    const { client } = connect(() => Response.json({}), {
      headers: { authorization: `Bearer ${key}\n` + 'x\u0000' },
    })
    expect((await failure(client.listDevices())).code).toBe('INVALID_REQUEST')
  })
})

describe('answers that are no success', () => {
  it('carries status, texts and Retry-After in seconds or as a date', async () => {
    const nowMs = Date.parse('2026-01-01T00:00:00Z')
    for (const [header, expected] of [
      ['7', 7000],
      ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
      ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
      ['99999999999', 86_400_000],
      ['soon', undefined],
    ] as const) {
      const body = { error: 'Rate limit exceeded', message: `no more for ${key} ${'x'.repeat(5000)}` }
      const { fetch, client } = connect(
        () => Response.json(body, { status: 429, headers: { 'retry-after': header } }),
        {
          now: () => nowMs,
        },
      )
      const error = await failure(client.listDevices())
      expect(error).toMatchObject({
        code: 'HTTP',
        status: 429,
        error: 'Rate limit exceeded',
        retryAfterMs: expected,
      })
      expect(error.detail).toMatch(/^no more for \[hidden\] x+$/)
      expect(error.detail?.length).toBeLessThanOrEqual(500)
      expect(fetch).toHaveBeenCalledOnce()
    }
  })

  it('keeps the particulars of an error, unless they repeat the key, are huge or no object', async () => {
    const problems = [{ path: 'edges.0.to', message: 'no node has the id "x"' }]
    const deep = '['.repeat(50_000) + ']'.repeat(50_000)
    for (const [details, expected] of [
      [JSON.stringify({ problems }), { problems }],
      [JSON.stringify({ said: `Bearer ${key}` }), undefined],
      [JSON.stringify({ text: 'x'.repeat(100_000) }), undefined],
      [`{"deep": ${deep}}`, undefined],
      ['["a"]', undefined],
      ['"text"', undefined],
    ] as const) {
      const body = `{"error": "Bad request", "details": ${details}}`
      const { client } = connect(() => new Response(body, { status: 400 }))
      const error = await failure(client.listDevices())
      expect(error).toMatchObject({ code: 'HTTP', status: 400 })
      expect(error.details).toEqual(expected)
    }
  })

  it('keeps the status of an error page, however it ends', async () => {
    const broken = new ReadableStream({ pull: (controller) => controller.error(new Error('cut')) })
    const { client } = connect(() => new Response(broken, { status: 502 }))
    expect(await failure(client.listDevices())).toMatchObject({ code: 'HTTP', status: 502, error: undefined })
  })

  it.each([
    ['HTML', '<html>sign in</html>'],
    ['nothing', ''],
    ['another object', '{"success":true}'],
    ['half of the document', '{"devices":[{"id":"a"'],
  ])('takes a 200 with %s for an error', async (_, text) => {
    const { client } = connect(() => new Response(text))
    expect((await failure(client.listDevices())).code).toBe('BAD_REPLY')
  })

  it('never follows a redirect, and names its origin alone', async () => {
    const headers = { location: `https://evil.example/steal?token=${key}` }
    const { fetch, client } = connect(() => new Response(null, { status: 307, headers }))
    const error = await failure(client.listDevices())
    expect(error.code).toBe('REDIRECTED')
    expect(error.message).toContain('redirected to https://evil.example.')
    expect(fetch).toHaveBeenCalledOnce()
  })

  it('stops reading at the size limit', async () => {
    let chunks = 0
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(1000).fill(32 + 0 * ++chunks)),
    })
    const { client } = connect(() => new Response(endless), { maxReplyBytes: 5000 })
    expect((await failure(client.listDevices())).code).toBe('REPLY_TOO_LARGE')
    expect(chunks).toBeLessThan(12)
  })

  it('keeps the failure of the network as cause', async () => {
    const down = new TypeError('fetch failed')
    const { client } = connect(() => Promise.reject(down))
    expect(await failure(client.listDevices())).toMatchObject({ code: 'UNREACHABLE', cause: down })
  })

  it('is not held up by causes that go in a circle', async () => {
    const outer: Error = new TypeError('fetch failed')
    outer.cause = new Error('inner', { cause: outer })
    const { client } = connect(() => Promise.reject(outer))
    expect((await failure(client.listDevices())).code).toBe('UNREACHABLE')
  })
})

describe('time', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => {
    expect(vi.getTimerCount()).toBe(0)
    vi.useRealTimers()
  })
  const never = () => new Promise<never>(() => {})

  it('gives up at the deadline when nothing answers', async () => {
    const { client } = connect(never)
    const pending = failure(client.listDevices())
    await vi.advanceTimersByTimeAsync(90_000)
    expect((await pending).code).toBe('TIMEOUT')
  })

  it('waits for as long as a timer can hold where the time has no limit', async () => {
    const { client } = connect(never, { timeoutMs: Number.POSITIVE_INFINITY })
    const pending = failure(client.listDevices())
    await vi.advanceTimersByTimeAsync(2_147_483_646)
    expect(vi.getTimerCount()).toBe(1)
    await vi.advanceTimersByTimeAsync(1)
    expect((await pending).code).toBe('TIMEOUT')
  })

  it('counts a slow body into the deadline', async () => {
    let rounds = 0
    const slow = new ReadableStream({
      async pull(controller) {
        await new Promise((resolve) => setTimeout(resolve, 20_000))
        if (++rounds < 20) controller.enqueue(new Uint8Array([32]))
      },
    })
    const { client } = connect(() => new Response(slow))
    const pending = failure(client.listDevices())
    await vi.advanceTimersByTimeAsync(90_000)
    expect((await pending).code).toBe('TIMEOUT')
    await vi.advanceTimersByTimeAsync(20_000)
    expect(rounds).toBeLessThan(7)
  })

  it('refuses a signal that is not within its argument: without types it would go unnoticed', async () => {
    const { fetch, client } = connect(() => Response.json({ devices: [] }))
    const list = client.listDevices as (...input: unknown[]) => Promise<unknown>
    const { signal } = new AbortController()
    for (const input of [[{}, signal], [undefined, signal], [signal]]) {
      const refused = await list(...input).catch(String)
      expect(refused).toBe(
        'TypeError: Calling listDevices failed: the signal must be a part of the argument. Pass { signal }.',
      )
    }
    expect(fetch).not.toHaveBeenCalled()
    await list({ signal }, { meta: 'what TanStack Query passes to mutations' })
    expect(fetch).toHaveBeenCalledOnce()
  })

  it('rejects with the reason of the signal, before and during a call', async () => {
    const { fetch, client } = connect(never)
    const controller = new AbortController()
    const pending = client.listDevices({ signal: controller.signal })
    await vi.waitFor(() => expect(fetch).toHaveBeenCalledOnce())
    const reason = new Error('enough')
    controller.abort(reason)
    await expect(pending).rejects.toBe(reason)
    await expect(client.listDevices({ signal: controller.signal })).rejects.toBe(reason)
    expect(fetch).toHaveBeenCalledOnce()
  })

  it('leaves no timer after a success', async () => {
    const { client } = connect(() => Response.json({ devices: [] }))
    expect(await client.listDevices()).toEqual({ devices: [] })
  })

  it('restarts the time with every chunk of a file that arrives', async () => {
    let rounds = 0
    const slow = new ReadableStream({
      async pull(controller) {
        await new Promise((resolve) => setTimeout(resolve, 60_000))
        if (++rounds <= 3) controller.enqueue(new Uint8Array([rounds]))
        else controller.close()
      },
    })
    const { client } = connect(() => new Response(slow))
    const file = await client.downloadFile({ params: { id: 'a', fileName: 'b' } })
    const text = new Response(file).bytes()
    await vi.advanceTimersByTimeAsync(300_000)
    expect([...(await text)]).toEqual([1, 2, 3])
  })
})

describe('forms over a real connection', () => {
  async function receive(run: (url: string) => Promise<unknown>) {
    const seen: { headers: IncomingMessage['headers']; form?: FormData } = { headers: {} }
    const server = createServer((request: IncomingMessage, response: ServerResponse) => {
      seen.headers = request.headers
      void Array.fromAsync(request).then(async (chunks: Buffer[]) => {
        const type = { 'content-type': request.headers['content-type'] ?? '' }
        seen.form = await new Response(Buffer.concat(chunks), { headers: type }).formData()
        response.setHeader('content-type', 'application/json')
        response.end('{"success":true,"fileName":"a","fileUrl":"https://cloud.example/a"}')
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    try {
      await run(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    } finally {
      server.closeAllConnections()
      server.close()
    }
    return seen
  }
  const bytes = new Uint8Array(200_000).map((_, index) => index % 251)
  const fileName = 'a"b\r\nc.bin'
  const streamOf = (size: number) =>
    new Blob([bytes.subarray(0, size)]).stream() as ReadableStream<Uint8Array>

  it.each([
    ['a Blob', () => new Blob([bytes])],
    ['a stream', () => streamOf(bytes.length)],
  ])('sends fields and %s', async (_, content) => {
    const seen = await receive((url) =>
      createClient(deviceCloudOperations, { baseUrl: url }).uploadFile({
        form: { requestId: 'r"1\n2' },
        file: { fileName, size: bytes.length, content: content() },
      }),
    )
    const file = seen.form?.get('file') as File
    expect(seen.form?.get('requestId')).toBe('r"1\r\n2')
    expect(new Uint8Array(await file.arrayBuffer())).toEqual(bytes)
    expect(seen.headers['transfer-encoding']).toBeUndefined()
    expect(Number(seen.headers['content-length'])).toBeGreaterThan(bytes.length)
  })

  it('tells how much of a stream was sent', async () => {
    const progress: number[] = []
    await receive((url) =>
      createClient(deviceCloudOperations, { baseUrl: url }).uploadFile({
        form: { requestId: 'r' },
        file: { fileName, size: bytes.length, content: streamOf(bytes.length) },
        onProgress: (sent, total) => progress.push(sent / total),
      }),
    )
    expect(progress.at(-1)).toBe(1)
    expect(progress).toEqual(progress.toSorted((a, b) => a - b))
  })

  it.each([1, -1])('fails when the file is %i byte longer than it said', async (change) => {
    const file = { fileName, size: 1000, content: streamOf(1000 + change) }
    const client = createClient(deviceCloudOperations, {
      baseUrl: 'http://127.0.0.1:9',
      fetch: (_, init) => new Response(init.body as ReadableStream).text().then((text) => new Response(text)),
    })
    expect((await failure(client.uploadFile({ form: { requestId: 'r' }, file }))).code).toBe('UNREACHABLE')
  })
})
