import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { JsonObject } from '@homeward/contract/agent-platform'
import type { ResolveHost } from '@homeward/kit/node'
import * as fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { parseToolDefinitions } from '../../skills/definitions/parse-tool-definitions.ts'
import type { LoadedSkill } from '../../skills/skill-library.ts'
import { toolContextOf } from '../testing/tool-context.ts'
import type { SkillToolContext } from '../skill-tool-context.ts'
import { toTool, whyOff } from '../create-agent-tools.ts'
import { resolveBase } from './base-address.ts'
import { buildRequest } from './build-request.ts'
import { createHttpClient } from './http-client.ts'

interface Seen {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

let seen: Seen[] = []
let answer: (request: IncomingMessage, response: ServerResponse) => void
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (chunk: Buffer) => (body += chunk.toString()))
  request.on('end', () => {
    seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body })
    answer(request, response)
  })
})
let port = 0

beforeAll(async () => {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
afterAll(() => {
  server.close().closeAllConnections()
})
beforeEach(() => {
  seen = []
  answer = (_, response) => response.setHeader('content-type', 'application/json').end('{"answer":42}')
})

interface Setting {
  readonly base?: string
  readonly config?: JsonObject
  readonly environment?: Record<string, string>
  readonly resolveHost?: ResolveHost
  readonly platformOrigins?: readonly string[]
  readonly requiredEnv?: readonly string[]
  readonly settings?: SkillToolContext['settings']
}

function make(entry: object, setting: Setting = {}) {
  const { config = {}, environment = {}, platformOrigins = [], settings = {} } = setting
  const apiBase = setting.base ?? `http://127.0.0.1:${port}/v1`
  const [definition] = parseToolDefinitions({
    tools: [{ id: 'demo', description: 'Calls.', path: '/things', ...entry }],
  })
  if (definition?.type !== 'http') throw new Error('no definition')
  const skill: LoadedSkill = {
    id: 'demo',
    name: 'demo',
    description: '',
    folder: '/nowhere',
    instructions: '',
    metadata: {},
    requiredEnv: setting.requiredEnv ?? [],
    tools: [],
  }
  const context: SkillToolContext = {
    home: '/nowhere',
    environment,
    settings,
    config,
    base: resolveBase({ config, apiBase, platformOrigins }),
    platformOrigins,
    http: createHttpClient(setting.resolveHost),
    sandboxMode: 'auto',
    sandbox: { reason: 'none' },
    limits: [],
    maxResultBytes: 10_000,
    underWay: new Set(),
    now: Date.now,
  }
  const tool = toTool(definition, skill, context)
  const call = (args: JsonObject = {}, signal = new AbortController().signal) =>
    tool.execute(args, toolContextOf({ idempotencyKey: 'key-1', signal }))
  return { tool, call, definition, context, off: whyOff(definition, context) }
}

const properties = (shape: object, required: string[] = []) => ({
  parameters: { type: 'object', properties: shape, required },
})

it('A17: puts each parameter in its place and gives status, ok and data', async () => {
  const { tool, call } = make({
    method: 'post',
    path: '{{base}}/things/{id}/parts/:part?fixed=1',
    headers: { 'X-Version': 7 },
    ...properties({
      id: { type: 'string', in: 'path' },
      part: { type: 'integer' },
      q: { type: 'string', in: 'query' },
      tags: { type: 'array', in: 'query' },
      'X-Trace': { type: 'string', in: 'header' },
      name: { type: 'string', in: 'body' },
      size: { type: 'number' },
    }),
  })
  const args = {
    id: 'a b',
    part: 3,
    q: 'x&y',
    tags: ['1', '2'],
    'X-Trace': 'trace',
    name: 'n',
    size: 2,
    unknown: 'dropped',
  }
  expect(await call(args)).toEqual({ status: 200, ok: true, data: { answer: 42 } })
  expect(seen[0]).toMatchObject({
    method: 'POST',
    url: '/v1/things/a%20b/parts/3?fixed=1&q=x%26y&tags=1&tags=2',
    body: '{"name":"n","size":2}',
  })
  expect(seen[0]?.headers).toMatchObject({
    'x-version': '7',
    'x-trace': 'trace',
    'content-type': 'application/json',
    'idempotency-key': 'key-1',
  })
  expect(tool).toMatchObject({ returnsUntrustedContent: true, effects: 'external', idempotent: false })
  expect(JSON.stringify(tool.inputSchema)).not.toContain('"in"')
})

it('A17: the plain form takes query and body', async () => {
  const { tool, call } = make({ method: 'PUT', path: '/things/{id}' })
  await call({ id: 'x', query: { a: 1, b: ['2', '3'] }, body: { any: [1] } })
  expect(seen[0]).toMatchObject({ method: 'PUT', url: '/v1/things/x?a=1&b=2&b=3', body: '{"any":[1]}' })
  expect(tool.inputSchema).toMatchObject({ required: ['id'], additionalProperties: false })
  expect(make({}).tool).toMatchObject({ effects: 'read', idempotent: true })
})

it('A17: gives answers that are no success, no JSON or too deep, empty or binary as they are', async () => {
  const { call } = make({})
  answer = (_, response) => response.writeHead(404, { 'content-type': 'text/html' }).end('<p>no</p>')
  expect(await call()).toEqual({ status: 404, ok: false, data: '<p>no</p>' })
  for (const headers of [{}, { 'content-encoding': 'gzip' }]) {
    answer = (_, response) => response.writeHead(204, headers).end()
    expect(await call()).toEqual({ status: 204, ok: true, data: null })
  }
  answer = (_, response) => response.end('{"id":2512292042121000001}')
  expect(await call()).toMatchObject({ data: { id: '2512292042121000001' } })
  answer = (_, response) => response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.alloc(20))
  expect(await call()).toMatchObject({ data: null, note: expect.stringContaining('image/png, 20 bytes') })
  const deep = '['.repeat(4000) + ']'.repeat(4000)
  answer = (_, response) => response.setHeader('content-type', 'application/json').end(deep)
  expect(await call()).toEqual({ status: 200, ok: true, data: deep })
})

it.each([
  '../admin',
  '..',
  '.',
  'a/b',
  '..%2f',
  '%2e%2e',
  'x?y=1',
  'x#y',
  'a\\..\\b',
  '\r\nHost: evil',
  '//evil.example',
  '\ud800',
])('A17: the path parameter %j cannot change the path', async (id) => {
  const { call } = make({ path: '/things/{id}/parts', ...properties({ id: {} }) })
  const outcome = await call({ id }).catch((error: Error) => error.message)
  if (typeof outcome === 'string') expect(outcome).toContain('Filling the path failed')
  else expect(seen[0]?.url).toMatch(/^\/v1\/things\/[^/?#\\]+\/parts$/)
  // what a server would make of it stays below the parent as well
  for (const { url } of seen) expect(new URL(url, 'http://x').pathname).toBe(url)
})

it('A17: no argument adds a segment, a parameter, a header or another origin', () => {
  const { definition } = make({
    method: 'POST',
    path: '/a/{p}/b',
    ...properties({ p: {}, q: { in: 'query' }, H: { in: 'header' } }),
  })
  const context = {
    base: new URL('https://api.example/v1'),
    idempotencyKey: 'k',
    agentId: 'agent',
    credentialNames: [],
    findCredential: () => undefined,
  }
  const characters = fc.array(
    fc.constantFrom(
      'a',
      '/',
      '.',
      '?',
      '#',
      '&',
      '=',
      '%',
      '%2e',
      '\\',
      ':',
      '@',
      ' ',
      '\r',
      '\n',
      '\0',
      'é',
      '漢',
      '\ud800',
    ),
  )
  const value = fc.oneof(
    characters.map((parts) => parts.join('')),
    fc.constantFrom('..', '\r\nX: y', '/../', '%2e%2e', '\0', '//x'),
  )
  fc.assert(
    fc.property(value, value, value, (p, q, H) => {
      if (/^(|\.|%2e|\.\.|\.%2e|%2e\.|%2e%2e)$/i.test(p)) return
      const { url, headers } = buildRequest(definition, { p, q, H }, context)
      expect(url.origin).toBe('https://api.example')
      expect(url.pathname.split('/')).toHaveLength(5)
      expect([...url.searchParams.keys()]).toEqual(['q'])
      expect(Object.keys(headers).toSorted()).toEqual([
        'accept',
        'accept-encoding',
        'h',
        'idempotency-key',
        'user-agent',
      ])
      expect(Object.values(headers).join('')).toMatch(/^[\t\x20-\x7e]*$/)
    }),
  )
})

it('A17: credentials come from the environment or the config and are in no result', async () => {
  answer = (request, response) =>
    response.end(JSON.stringify({ echo: request.headers.authorization, url: request.url }))
  const auth = { credential: 'DEMO_KEY', in: 'header', name: 'Authorization', scheme: 'Bearer' }
  const secret = 'very-secret-token'
  expect(await make({ auth }, { environment: { DEMO_KEY: secret } }).call()).toMatchObject({
    data: { echo: 'Bearer [secret]' },
  })
  expect(seen.at(-1)?.headers.authorization).toBe(`Bearer ${secret}`)
  const inQuery = { credential: 'DEMO_KEY', in: 'query', name: 'key' }
  const result = await make({ auth: inQuery }, { config: { demo_key: secret } }).call({
    query: { key: 'own' },
  })
  expect(seen.at(-1)?.url).toBe(`/v1/things?key=${secret}`)
  expect(JSON.stringify(result)).not.toContain(secret)
  const basic = { ...auth, scheme: 'Basic' }
  await make({ auth: basic }, { environment: { DEMO_KEY: 'user:password' } }).call()
  expect(seen.at(-1)?.headers.authorization).toBe(`Basic ${btoa('user:password')}`)
  answer = (_, response) => response.end('{"echo":"a\\/s\\u0065cret"}')
  const echoed = await make({ auth }, { environment: { DEMO_KEY: 'a/secret' } }).call()
  expect(echoed).toMatchObject({ data: { echo: '[secret]' } })
  const templated = { headers: { 'X-Key': '{{DEMO_KEY}}', Origin: '{{base}}' } }
  await make(templated, { environment: { DEMO_KEY: secret }, requiredEnv: ['DEMO_KEY'] }).call()
  expect(seen.at(-1)?.headers).toMatchObject({ 'x-key': secret, origin: `http://127.0.0.1:${port}/v1` })
})

it("A17: the platform's own keys and tokens are never attached, under any name", async () => {
  const environment = { OPENAI_API_KEY: 'sk-provider', API_TOKEN: 'platform', COPY: 'sk-provider' }
  for (const credential of ['OPENAI_API_KEY', 'API_TOKEN', 'COPY', 'FROM_FILE']) {
    const setting = {
      environment,
      settings: { anthropic_api_key: 'sk-file' },
      config: { FROM_FILE: 'sk-file' },
    }
    const { call } = make({ auth: { credential } }, setting)
    await expect(call()).rejects.toThrow(`its credential ${credential} is not set`)
  }
  expect(seen).toEqual([])
})

it('A17: follows redirects within its origin only, a few of them, and carries nothing elsewhere', async () => {
  const { call } = make({ method: 'POST', auth: { credential: 'K' } }, { environment: { K: 'secret-key' } })
  answer = (request, response) =>
    request.url === '/v1/things'
      ? response.writeHead(302, { location: '/v1/moved' }).end()
      : response.end('"here"')
  expect(await call({ body: { a: 1 } })).toEqual({ status: 200, ok: true, data: 'here' })
  expect(seen.map(({ method, url, body }) => [method, url, body])).toEqual([
    ['POST', '/v1/things', '{"a":1}'],
    ['GET', '/v1/moved', ''],
  ])
  for (const location of [
    `http://localhost:${port}/x`,
    `http://127.0.0.1:${port + 1}/x`,
    '//evil.example/x',
    'file:///etc/passwd',
    `http://u:p@127.0.0.1:${port}/`,
  ]) {
    answer = (_, response) => response.writeHead(307, { location }).end()
    seen = []
    await expect(call()).rejects.toThrow('it redirected to another origin')
    expect(seen).toHaveLength(1)
  }
  answer = (_, response) => response.writeHead(302, { location: '/v1/loop' }).end()
  await expect(call()).rejects.toThrow('redirected more than 5 times')
})

it('A17: a name that changes its address later is checked when it is connected to', async () => {
  const addresses = [['93.184.215.14'], ['127.0.0.1'], ['::ffff:127.0.0.1'], ['169.254.169.254', '10.0.0.1']]
  let asked = 0
  const resolveHost: ResolveHost = (_host, _options, callback) => {
    const now = addresses[(asked += 1)] ?? []
    const found = now.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    callback(null, found)
  }
  const { call } = make({}, { base: `http://rebound.example:${port}`, resolveHost })
  for (let turn = 0; turn < 3; turn += 1) await expect(call()).rejects.toThrow(/private address|metadata/)
  expect(asked).toBe(3)
  expect(seen).toEqual([])
})

it('A17: a name that a person wrote down may lead to a private address, but never to the platform', async () => {
  const resolveHost: ResolveHost = (_host, _options, callback) =>
    callback(null, [{ address: '127.0.0.1', family: 4 }])
  const config = { base: `http://nas.lan:${port}` }
  expect(await make({}, { config, resolveHost }).call()).toMatchObject({ ok: true })
  const platformOrigins = [`http://127.0.0.1:${port}`]
  await expect(make({}, { config, resolveHost, platformOrigins }).call()).rejects.toThrow(
    'it points to this server itself',
  )
  expect(make({}, { platformOrigins }).off).toBe('its base address must not be this server itself')
  const below = { config, resolveHost, platformOrigins: [`http://127.0.0.1:${port}/platform`] }
  expect(await make({}, below).call()).toMatchObject({ ok: true })
  await expect(make({ path: '/platform/api' }, below).call()).rejects.toThrow('points to this server itself')
  const base = `http://127.0.0.1:${port}/platform`
  expect(make({}, { ...below, config: { base } }).off).toBe('its base address must not be this server itself')
})

it('A17: bounds what it reads, compressed or not, and reads no further', async () => {
  const { call } = make({})
  let sent = 0
  answer = (_, response) => {
    const more = (): void => {
      while (sent < 500_000_000 && !response.destroyed) {
        sent += 65_536
        if (!response.write('ü'.repeat(32_768))) return void response.once('drain', more)
      }
    }
    more()
  }
  const result = (await call()) as { data: string; truncated: boolean }
  expect(result).toMatchObject({ truncated: true, status: 200 })
  expect(Buffer.byteLength(result.data)).toBeLessThanOrEqual(10_000)
  expect(sent).toBeLessThan(50_000_000)
  for (const [encoding, bomb] of [
    ['gzip', gzipSync(Buffer.alloc(50_000_000, 97))],
    ['br', brotliCompressSync(Buffer.alloc(5_000_000, 97))],
  ] as const) {
    answer = (_, response) => response.writeHead(200, { 'content-encoding': encoding }).end(bomb)
    expect(await call()).toMatchObject({ truncated: true, data: 'a'.repeat(10_000) })
  }
  answer = (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('"small"'))
  expect(await call()).toEqual({ status: 200, ok: true, data: 'small' })
})

it('A17: ends with its time, with the run, and with a connection that breaks', async () => {
  answer = () => undefined
  await expect(make({ timeout: 0.05 }).call()).rejects.toMatchObject({ code: 'timeout' })
  const cancel = new AbortController()
  const waiting = make({}).call({}, cancel.signal)
  const reason = new Error('cancelled')
  cancel.abort(reason)
  await expect(waiting).rejects.toBe(reason)
  answer = (_, response) =>
    response.writeHead(200, { 'content-length': '100' }).write('half', () => response.destroy())
  await expect(make({}).call()).rejects.toMatchObject({ code: 'run_error', retryable: true })
  answer = (_, { socket }) =>
    socket?.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n')
  await expect(make({ timeout: 3600 }).call()).rejects.toThrow('the connection failed')
  answer = (_, response) => response.socket?.destroy()
  const failure = await make({ auth: { credential: 'K', in: 'query' } }, { environment: { K: 'secret-key' } })
    .call()
    .catch((error: unknown) => error)
  expect(String(failure)).not.toContain('secret-key')
})

it('A17: only its own origin: a path to another host or port does not go out', async () => {
  const others = ['https://evil.example/x', `http://127.0.0.1:${port + 1}/x`, `http://u@127.0.0.1:${port}/x`]
  for (const path of others) await expect(make({ path }).call()).rejects.toThrow('another origin')
  await make({ path: `http://127.0.0.1:${port}/v1/own` }).call()
  await make({ path: '//evil.example/x' }).call()
  expect(seen.map(({ url }) => url)).toEqual(['/v1/own', '/v1/evil.example/x'])
})
