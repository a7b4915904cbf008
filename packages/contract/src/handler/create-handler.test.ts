import { once } from 'node:events'
import { createServer, request as send, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import * as z from 'zod/mini'
import type { Operation } from '../operation.ts'
import { createAccessGuard } from './access-guard.ts'
import { createHandler } from './create-handler.ts'
import { HttpError } from './http-error.ts'

const operations = {
  echo: {
    method: 'POST',
    path: '/api/echo/{id}',
    auth: 'session',
    needs: 'read',
    summary: 'Gives back what it got.',
    source: 'test',
    params: z.object({ id: z.string().check(z.maxLength(20)) }),
    query: z.object({ status: z.optional(z.enum(['on', 'off'])) }),
    body: z.object({
      text: z.string(),
      sizes: z.optional(z.array(z.int())),
      tags: z.optional(z.record(z.string(), z.boolean())),
      at: z.optional(z.stringFormat('datetime', /Z$/)),
    }),
    reply: z.object({ id: z.string(), text: z.string(), caller: z.string() }),
  },
  file: {
    method: 'GET',
    path: '/api/file',
    auth: 'public',
    summary: 'Gives a file.',
    source: 'test',
    reply: 'bytes',
  },
  hook: {
    method: 'POST',
    path: '/api/hook',
    auth: 'webhook',
    summary: 'Takes what another service sends.',
    source: 'test',
    reply: 'platform',
  },
  fail: {
    method: 'GET',
    path: '/api/fail',
    auth: 'public',
    summary: 'Breaks.',
    source: 'test',
    reply: z.object({ ok: z.boolean() }),
  },
} as const satisfies Record<string, Operation>

const onError = vi.fn()
const handler = createHandler<typeof operations, { session: string }>({
  operations,
  maxJsonBytes: 1000,
  checkReplies: true,
  onError,
  guard: (request) => {
    if (request.header('x-foreign')) createAccessGuard({ hosts: ['known:1'] })(request)
  },
  authenticate: {
    webhook: () => undefined,
    session: (request) => {
      if (request.header('authorization') !== 'Bearer ok') throw new HttpError(401, { error: 'Unauthorized' })
      return 'ada'
    },
  },
  handlers: {
    echo: ({ caller, params, body }) => ({ id: params.id, text: body.text, caller }),
    file: () => ({
      status: 200,
      headers: { 'content-type': 'application/octet-stream' },
      body: new Blob(['some bytes']).stream() as ReadableStream<Uint8Array>,
    }),
    hook: () => ({ status: 202, headers: { 'content-type': 'text/plain' }, body: 'as the service wants' }),
    fail: () => {
      throw new TypeError('broken inside')
    },
  },
})

let server: Server
let base: string
beforeAll(async () => {
  server = createServer((request, response) => void handler.node(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())

const faces = {
  fetch: (path: string, init?: RequestInit) => handler.fetch(new Request(`http://127.0.0.1:1${path}`, init)),
  node: (path: string, init?: RequestInit) => fetch(base + path, init),
}

function post(body: BodyInit, headers: Record<string, string> = {}): RequestInit {
  return {
    method: 'POST',
    body,
    headers: { authorization: 'Bearer ok', 'content-type': 'application/json', ...headers },
  }
}

describe.each(Object.keys(faces) as (keyof typeof faces)[])('the %s face', (face) => {
  const call = faces[face]

  it('lets a webhook pass by any host name, and nothing else, and gives what its handler wrote', async () => {
    const foreign = { 'x-foreign': 'yes' }
    const response = await call('/api/hook', { method: 'POST', body: 'anything', headers: foreign })
    expect([response.status, await response.text()]).toEqual([202, 'as the service wants'])
    expect(response.headers.get('content-type')).toBe('text/plain')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect((await call('/api/hook', { headers: foreign })).status).toBe(403)
    expect((await call('/api/nowhere', { headers: foreign })).status).toBe(403)
    expect((await call('/api/fail', { headers: foreign })).status).toBe(403)
  })

  it('answers a documented call with its documented body', async () => {
    const response = await call('/api/echo/a%20b', post('{"text":"grüße","more":1}'))
    expect(response.status).toBe(200)
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('x-request-id')).toMatch(/^[\w-]{36}$/)
    expect(await response.json()).toEqual({ id: 'a b', text: 'grüße', caller: 'ada' })
  })

  it.each([
    ['malformed JSON', '{"text":', 'body: not valid JSON'],
    ['no JSON at all', '', 'body: is empty, expected JSON'],
    ['a missing field', '{}', 'text: is missing, expected string'],
    [
      'a wrong type deep inside',
      '{"text":"a","sizes":[1,"2"]}',
      'sizes[1]: Invalid input: expected number, received string',
    ],
    [
      'a time that is not written as times are',
      '{"text":"a","at":"2026-01-31 23:59"}',
      'at: must be ISO 8601, such as 2026-01-31T22:59:59Z',
    ],
    [
      'a key of five hundred characters',
      `{"text":"a","tags":{"${'k'.repeat(500)}":1}}`,
      `tags.${'k'.repeat(195)}: Invalid input: expected boolean, received number`,
    ],
  ])('names the field and the problem of %s', async (_, body, message) => {
    const response = await call('/api/echo/a', post(body))
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({ error: 'Validation error', message })
  })

  it('refuses bytes that are not UTF-8', async () => {
    const response = await call('/api/echo/a', post(new Uint8Array([0x22, 0xff, 0x22])))
    expect(await response.json()).toEqual({ error: 'Validation error', message: 'body: not valid UTF-8' })
  })

  it('refuses unknown and repeated query values', async () => {
    expect((await call('/api/echo/a?status=maybe', post('{"text":"a"}'))).status).toBe(400)
    const twice = await call('/api/echo/a?status=on&status=off', post('{"text":"a"}'))
    expect(await twice.json()).toEqual({
      error: 'Validation error',
      message: 'status: must be given only once in the query',
    })
  })

  it('checks the caller before it reads the body', async () => {
    const response = await call('/api/echo/a', post('{"text":', { authorization: 'Bearer no' }))
    expect(response.status).toBe(401)
    expect(await response.json()).toEqual({ error: 'Unauthorized' })
  })

  it('refuses another content type and encoded bodies', async () => {
    for (const headers of [{ 'content-type': 'text/plain' }, { 'content-encoding': 'gzip' }]) {
      const response = await call('/api/echo/a', post('{"text":"a"}', headers))
      expect(response.status).toBe(415)
      expect(await response.json()).toMatchObject({ error: 'Unsupported media type' })
    }
  })

  it('C18: refuses a body over the limit, announced or not', async () => {
    const large = JSON.stringify({ text: 'x'.repeat(2000) })
    const chunks = new Blob([large]).stream()
    const streamed = { ...post(chunks), duplex: 'half' } as RequestInit
    for (const init of [post(large), streamed]) {
      const response = await call('/api/echo/a', init)
      expect(response.status).toBe(413)
      expect(await response.json()).toMatchObject({ error: 'Payload too large' })
    }
  })

  it('tells an unknown path from a wrong method', async () => {
    expect(await (await call('/api/nothing')).json()).toEqual({ error: 'Not found' })
    const response = await call('/api/echo/a', { method: 'DELETE' })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('POST')
  })

  it('streams a file, and gives its head without the body', async () => {
    expect(await (await call('/api/file')).text()).toBe('some bytes')
    const head = await call('/api/file', { method: 'HEAD' })
    expect(head.status).toBe(200)
    expect(await head.text()).toBe('')
  })

  it('tells the host of a failure and the caller nothing about its inside', async () => {
    onError.mockClear()
    const response = await call('/api/fail')
    expect(response.status).toBe(500)
    expect(await response.json()).toEqual({ error: 'Failed to process request' })
    expect(onError).toHaveBeenCalledExactlyOnceWith(expect.any(TypeError), {
      operationId: 'fail',
      requestId: response.headers.get('x-request-id'),
    })
  })

  it('refuses a foreign host before anything else', async () => {
    const response = await call('/api/nothing', { headers: { 'x-foreign': '1' } })
    expect(response.status).toBe(403)
  })
})

it('lets a caller on a kept connection read the refusal of a large body', async () => {
  const large = JSON.stringify({ text: 'x'.repeat(4 * 1024 * 1024) })
  const response = await fetch(`${base}/api/echo/a`, post(large))
  expect(response.status).toBe(413)
  const next = await fetch(`${base}/api/echo/a`, post('{"text":"a"}'))
  expect(next.status).toBe(200)
})

describe('a header that stands twice', () => {
  const one = { authorization: 'Bearer ok', 'content-type': 'application/json' }

  async function byNode(headers: Record<string, string | string[]>): Promise<[number, unknown]> {
    const sending = send(`${base}/api/echo/a`, { method: 'POST', agent: false, headers })
    sending.end('{"text":"a"}')
    const [answer] = (await once(sending, 'response')) as [IncomingMessage]
    return [answer.statusCode ?? 0, await json(answer)]
  }

  async function byFetch(headers: Record<string, string | string[]>): Promise<[number, unknown]> {
    const given = Object.entries(headers).flatMap(([name, value]) =>
      [value].flat().map((each): [string, string] => [name, each]),
    )
    const answer = await faces.fetch('/api/echo/a', { ...post('{"text":"a"}'), headers: given })
    return [answer.status, await answer.json()]
  }

  it.each([
    ['authorization', ['Bearer ok', 'Bearer no'], 401, 'Unauthorized'],
    ['authorization', ['Bearer no', 'Bearer ok'], 401, 'Unauthorized'],
    ['content-type', ['application/json', 'text/plain'], 415, 'Unsupported media type'],
    ['content-type', ['application/json', 'application/json'], 415, 'Unsupported media type'],
  ])('is refused alike by both faces: %s: %j', async (name, values, status, error) => {
    const answers = await Promise.all([byNode, byFetch].map((send) => send({ ...one, [name]: values })))
    expect(answers[0]).toEqual([status, expect.objectContaining({ error })])
    expect(answers[1]).toEqual(answers[0])
    expect((await byNode(one))[0]).toBe(200)
  })
})

it('refuses foreign hosts and origins, and takes every accepted host as one origin', () => {
  const guard = createAccessGuard({
    hosts: ['127.0.0.1:3000', 'localhost:3000'],
    origins: ['https://ui.example'],
  })
  const check = (host: string | undefined, origin?: string) => () =>
    guard({
      header: (name: string) => (name === 'host' ? host : name === 'origin' ? origin : undefined),
    })
  expect(check('LOCALHOST:3000')).not.toThrow()
  expect(check('127.0.0.1:3000', 'http://localhost:3000')).not.toThrow()
  expect(check('127.0.0.1:3000', 'https://ui.example')).not.toThrow()
  for (const origin of [
    'http://localhost:3001',
    'null',
    'https://evil.example',
    'http://localhost:3000.evil.example',
  ]) {
    expect(check('127.0.0.1:3000', origin), origin).toThrow(HttpError)
  }
  for (const host of [undefined, 'evil.example:3000', '127.0.0.1:3001'])
    expect(check(host)).toThrow(HttpError)
})

it('takes every spelling of an accepted host and origin for the same', () => {
  const guard = createAccessGuard({
    hosts: ['Cloud.example', 'other.example:443'],
    origins: ['https://UI.example:443'],
  })
  const check = (host: string, origin?: string) => () =>
    guard({ header: (name: string) => (name === 'host' ? host : origin) })
  for (const host of ['cloud.example', 'CLOUD.EXAMPLE:443', 'cloud.example:80', 'other.example'])
    for (const origin of [undefined, 'https://cloud.example', 'https://other.example', 'https://ui.example'])
      expect(check(host, origin), `${host} ${origin}`).not.toThrow()
  for (const host of ['cloud.example:8443', 'cloud.example.evil.example', 'cloud.example:4430'])
    expect(check(host), host).toThrow(HttpError)
})

it.each<[string, unknown]>([
  ['hosts', undefined],
  ['hosts', {}],
  ['hosts', { hosts: 'localhost:3000' }],
  ['origins', { hosts: [], origins: 'https://ui.example' }],
])('names %s of an access guard when it is no list', (name, options) => {
  const message = `Creating the access guard failed: "${name}" must be a list of strings.`
  expect(() => createAccessGuard(options as never)).toThrow(new TypeError(message))
})
