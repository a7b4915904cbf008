import { createServer } from 'node:http'
import type { RequestListener } from 'node:http'
import { createServer as createSocketServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { callPlatform, redactSecrets, toChannelError } from './call-platform.ts'
import type { PlatformCall } from './call-platform.ts'
import { expectNoSecret, failureOf } from './testing/platform-kit.ts'

const secret = '123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11'
const { signal } = new AbortController()
const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  vi.useRealTimers()
  for (const close of closers.splice(0)) await close()
})

/** A real server: what fetch throws is Node's own. */
async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(
    () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  )
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const callOf = (base: string, changes: Partial<PlatformCall> = {}): PlatformCall => ({
  what: 'Test send',
  url: `${base}/bot${secret}/send?key=${encodeURIComponent(secret)}`,
  json: { text: 'hi' },
  signal,
  fetch,
  secrets: [secret],
  ...changes,
})
const failure = (base: string, changes?: Partial<PlatformCall>) =>
  failureOf(callPlatform(callOf(base, changes)), [secret])

it('gives what the platform answered, whatever its status', async () => {
  const base = await serve((request, response) => {
    const { method, headers } = request
    let body = ''
    request.on('data', (chunk) => {
      body += String(chunk)
    })
    request.on('end', () => {
      response.writeHead(418, { 'content-type': 'application/json', 'retry-after': '2' })
      response.end(JSON.stringify({ method, type: headers['content-type'], body, own: headers['x-own'] }))
    })
  })
  const reply = await callPlatform(callOf(base, { headers: { 'x-own': '1' } }))
  expect(reply).toMatchObject({
    status: 418,
    json: { method: 'POST', type: 'application/json', body: '{"text":"hi"}', own: '1' },
  })
  expect(reply.headers.get('retry-after')).toBe('2')
})

it('takes a page of a proxy for what it is: no JSON', async () => {
  const base = await serve((_, response) => response.writeHead(502).end('<html>Bad gateway</html>'))
  const reply = await callPlatform(callOf(base))
  expect(reply).toMatchObject({ status: 502, json: undefined, text: expect.stringContaining('Bad gateway') })
  expect(toChannelError(reply, callOf(base))).toMatchObject({ code: 'uncertain' })
})

describe('whether it may have arrived', () => {
  it('surely not, when there was no connection', async () => {
    const base = await serve(() => undefined)
    await closers.pop()?.()
    expect(await failure(base)).toMatchObject({
      code: 'temporary',
      message: 'Test send failed: the connection failed (ECONNREFUSED).',
    })
  })

  it('surely not, when the name is unknown', async () => {
    const cause = Object.assign(new Error(`getaddrinfo ENOTFOUND ${secret}`), { code: 'ENOTFOUND' })
    const unknown = () => Promise.reject(new TypeError('fetch failed', { cause }))
    expect(await failure('http://unknown.invalid', { fetch: unknown })).toMatchObject({ code: 'temporary' })
    const all = new AggregateError([
      cause,
      Object.assign(new Error('x'), { code: 'ETIMEDOUT', syscall: 'connect' }),
    ])
    const nowhere = () => Promise.reject(new TypeError('fetch failed', { cause: all }))
    expect(await failure('http://unknown.invalid', { fetch: nowhere })).toMatchObject({ code: 'temporary' })
  })

  it('perhaps, when the connection broke behind the request', async () => {
    const base = await serve((request) => request.socket.destroy())
    expect(await failure(base)).toMatchObject({
      code: 'uncertain',
      message: expect.stringMatching(/failed \(\w+\)\. The message may or may not have arrived\.$/),
    })
  })

  it('perhaps, when the answer broke off or is without end', async () => {
    const cut = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('half', () => response.destroy())
    })
    expect(await failure(cut)).toMatchObject({ code: 'uncertain' })
    const endless = await serve((_, response) => {
      const chunk = Buffer.alloc(1024 * 1024)
      response.on('drain', () => response.write(chunk)).write(chunk)
    })
    expect(await failure(endless)).toMatchObject({
      code: 'uncertain',
      message: expect.stringContaining('bytes'),
    })
  })

  it('perhaps, when what answers is no HTTP', async () => {
    const server = createSocketServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => socket.end('nonsense\r\n\r\n', () => socket.destroy()))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closers.push(() => new Promise((resolve) => server.close(() => resolve())))
    const { port } = server.address() as AddressInfo
    expect(await failure(`http://127.0.0.1:${port}`)).toMatchObject({ code: 'uncertain' })
  })

  it('perhaps, when no answer came in time; no timer stays behind', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const hangs: typeof fetch = (_, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))
      })
    const failed = failure('http://slow.test', { fetch: hangs, timeoutMs: 2000 })
    await vi.advanceTimersByTimeAsync(2000)
    expect(await failed).toMatchObject({ code: 'uncertain', message: expect.stringContaining('within 2 s') })
    expect(vi.getTimerCount()).toBe(0)
  })

  it('does not matter, when it only reads or may be repeated', async () => {
    const base = await serve((request) => request.socket.destroy())
    const { json: _, ...read } = callOf(base, { method: 'GET' })
    expect(await failureOf(callPlatform(read), [secret])).toMatchObject({ code: 'temporary' })
    expect(await failure(base, { isRepeatable: true })).toMatchObject({ code: 'temporary' })
  })
})

it('follows no redirect', async () => {
  let calls = 0
  const base = await serve((_, response) => {
    calls += 1
    response.writeHead(302, { location: '/elsewhere' }).end()
  })
  expect(await failure(base)).toMatchObject({ code: 'permanent' })
  expect(calls).toBe(1)
})

it('refuses an address that is none, without saying it', async () => {
  expect(await failure('', { url: `no url ${secret}` })).toMatchObject({ code: 'permanent' })
})

it('never sends a token that no header can hold, and does not show it', async () => {
  const never = vi.fn<typeof fetch>()
  const headers = { authorization: 'Bearer sécret-🚀' }
  expect(await failure('http://a.test', { headers, fetch: never })).toMatchObject({ code: 'permanent' })
  expect(never).not.toHaveBeenCalled()
})

it('rejects with the reason of its caller, and calls nobody when that has given up before', async () => {
  const reason = new Error('closing')
  const never = vi.fn<typeof fetch>()
  const early = callPlatform(callOf('http://a.test', { signal: AbortSignal.abort(reason), fetch: never }))
  await expect(early).rejects.toBe(reason)
  expect(never).not.toHaveBeenCalled()
})

it('says what a status means', () => {
  const of = (status: number, headers: Record<string, string> = {}, options = {}) =>
    toChannelError({ status, headers: new Headers(headers) }, { what: 'Test send', ...options }, { nowMs: 0 })
  expect([401, 403, 404, 410, 413, 429, 400, 500, 503, 408].map((status) => of(status).code)).toEqual(
    'auth auth gone gone too_long rate_limited permanent uncertain uncertain uncertain'.split(' '),
  )
  expect(of(503, {}, { isRepeatable: true }).code).toBe('temporary')
  expect(of(429, { 'retry-after': '1.5' }).retryAfterMs).toBe(1500)
  expect(of(429).retryAfterMs).toBeUndefined()
  const said = toChannelError(
    { status: 400, headers: new Headers() },
    { what: 'Test send', secrets: [secret] },
    { detail: `${secret} ${'x'.repeat(500)}` },
  )
  expectNoSecret(said, [secret])
  expect(said.message.length).toBeLessThan(300)
})

it('hides a token of Telegram even when nobody named it', () => {
  expect(redactSecrets(`GET https://api.telegram.org/bot${secret}/getMe`)).toBe(
    'GET https://api.telegram.org/bot***/getMe',
  )
  expect(redactSecrets('a b', ['', undefined])).toBe('a b')
})
