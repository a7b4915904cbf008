import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createAccessGuard, type RequestView } from '@homeward/contract/handler'
import { createRuntime } from '../../runtime/create-runtime.ts'
import { createAgentPlatformHandler } from '../create-agent-platform-handler.ts'
import { createEventSockets } from '../events/create-event-sockets.ts'
import { createAuthenticator, type PlatformAuth } from './platform-auth.ts'
import { startPlatform, ways, type Answer } from '../testing/start-platform.ts'

const token = 'correct-horse-battery-staple'
const bearer = { authorization: `Bearer ${token}` }

/** `fetch` sets Host itself; a hostile page's browser sets the name that it was led to. */
function sendRaw(
  url: string,
  headers: Record<string, string>,
  path = '/api/agents',
): Promise<Pick<Answer, 'status' | 'body'>> {
  return new Promise((resolve, reject) => {
    const sent = request(url + path, { headers }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (text += chunk))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }))
    })
    sent.on('error', reject)
    sent.end()
  })
}

it('limits guesses of the first token by address before it compares them, and lets in who had it right', async () => {
  const settings = { read: async () => ({}) }
  const clientAddress = ({ remoteAddress = '' }: RequestView) => remoteAddress
  const authenticate = createAuthenticator(
    { kind: 'token', token },
    { settings, tokens: { verify: async () => undefined }, clientAddress },
    () => 0,
  )
  const call = async (given: string, remoteAddress: string) => {
    const header = (name: string) => (name === 'authorization' ? `Bearer ${given}` : undefined)
    const view = { method: 'GET', path: '/', search: '', origin: '', remoteAddress, header, async *body() {} }
    return authenticate({ ...view, signal: new AbortController().signal }).then(
      () => 200,
      (error: unknown) => (error as { status: number }).status,
    )
  }
  for (let guess = 0; guess < 60; guess += 1) expect(await call(`guess-${guess}`, '192.0.2.1')).toBe(401)
  expect(await call('one-more', '192.0.2.1')).toBe(429)
  expect(await call(token, '192.0.2.1')).toBe(429)
  expect(await call(token, '192.0.2.2')).toBe(200)
  for (let guess = 0; guess < 70; guess += 1) await call(`guess-${guess}`, '192.0.2.2')
  expect(await call('one-more', '192.0.2.2')).toBe(429)
  expect(await call(token, '192.0.2.2')).toBe(200)
})

describe('behind a trusted proxy', () => {
  const proxy = '10.0.0.1'
  const forwarded = (given: string, client: string) => ({
    authorization: `Bearer ${given}`,
    'x-forwarded-for': `203.0.113.9, ${client}`,
    upgrade: 'websocket',
  })
  const open = (trustedProxies: readonly string[]) => {
    const runtime = createRuntime({ environment: {} })
    onTestFinished(() => runtime.close())
    const shared = { runtime, auth: { kind: 'token', token }, guard: () => {}, trustedProxies } as const
    const platform = createAgentPlatformHandler(shared)
    const events = createEventSockets(shared)
    onTestFinished(() => events.close())
    return {
      async rest(given: string, client: string, remoteAddress = proxy) {
        const request = new Request('http://a.test/api/agents', { headers: forwarded(given, client) })
        return (await platform.fetch(request, { remoteAddress })).status
      },
      async socket(given: string, client: string) {
        const headers = new Headers(forwarded(given, client))
        const reply = await events.checkUpgrade({
          url: 'http://a.test/api/events',
          headers,
          remoteAddress: proxy,
        })
        return reply.isAccepted ? 101 : reply.response.status
      },
    }
  }

  it.each(['rest', 'socket'] as const)('limits wrong tokens of each caller over %s', async (way) => {
    const send = open([proxy])[way]
    const accepted = way === 'rest' ? 200 : 101
    expect(await send(token, '192.0.2.1')).toBe(accepted)
    for (let guess = 0; guess < 60; guess += 1) await send(`guess-${guess}`, '192.0.2.1')
    expect(await send('one-more', '192.0.2.1')).toBe(429)
    expect(await send(token, '192.0.2.1')).toBe(accepted) // it worked before from there
    expect(await send('another', '192.0.2.2')).toBe(401)
    expect(await send(token, '192.0.2.3')).toBe(accepted)
  })

  it('believes no X-Forwarded-For of others', async () => {
    const { rest } = open([proxy])
    for (let guess = 0; guess < 60; guess += 1)
      await rest(`guess-${guess}`, `192.0.2.${guess}`, '198.51.100.1')
    expect(await rest('one-more', '192.0.2.99', '198.51.100.1')).toBe(429)
  })
})

describe.each(ways)('access %s', (way) => {
  it('A19: with a token lets only those in who send it in the Authorization header', async () => {
    await using platform = await startPlatform(way, { auth: { kind: 'token', token } })
    const { send } = platform
    expect((await send('GET', '/api/agents', { headers: bearer })).status).toBe(200)
    const refused: [string, Record<string, string>][] = [
      ['/api/agents', {}],
      ['/api/agents', { authorization: 'Bearer wrong' }],
      ['/api/agents', { authorization: `Bearer ${token}x` }],
      ['/api/agents', { authorization: `Basic ${btoa(`x:${token}`)}` }],
      ['/api/agents', { authorization: token }],
      ['/api/agents', { authorization: 'Bearer ' }],
      ['/api/agents', { cookie: `token=${token}; api_token=${token}; authorization=Bearer ${token}` }],
      ['/api/agents', { 'x-api-key': token, 'x-api-token': token }],
      [
        `/api/agents?token=${token}&api_token=${token}&access_token=${token}&authorization=Bearer%20${token}`,
        {},
      ],
    ]
    for (const [path, headers] of refused) {
      const answer = await send('GET', path, { headers })
      expect([answer.status, answer.body.code]).toEqual([401, 'unauthorized'])
      expect(answer.text).not.toContain(token)
      expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    }
  })

  it('A26: rejects a damaged access token also where none is needed', async () => {
    await using platform = await startPlatform('in process', { auth: { kind: 'none' } })
    const statusOf = async (authorization: string) =>
      (await platform.send('GET', '/api/agents', { headers: { authorization } })).status
    const token = `hwp_${'x'.repeat(43)}`
    for (const damaged of [token, token.slice(0, -1), `${token}x`, `"${token}"`, token.toUpperCase()])
      expect(await statusOf(`Bearer ${damaged}`)).toBe(401)
    expect(await statusOf(token)).toBe(401)
    // what clients of other services send, who have to send something
    expect(await statusOf('Bearer sk-none')).toBe(200)
  })

  it('A19: says of an Authorization that came twice why it is refused', async () => {
    await using platform = await startPlatform(way, { auth: { kind: 'token', token } })
    const headers = { authorization: `Bearer ${token}, Bearer ${token}` }
    const answer = await platform.send('GET', '/api/agents', { headers })
    expect([answer.status, answer.body.message]).toEqual([
      401,
      expect.stringContaining('several Authorization headers'),
    ])
  })

  it('A19: refuses without reading the body, and changes nothing', async () => {
    await using platform = await startPlatform(way, { auth: { kind: 'token', token } })
    const { send } = platform
    expect((await send('POST', '/api/agents', { body: { id: 'a', model: 'm' } })).status).toBe(401)
    expect((await send('PUT', '/api/settings', { body: { api_token: 'mine' } })).status).toBe(401)
    expect((await send('POST', '/api/agents', { body: 'not json' })).status).toBe(401)
    expect((await send('GET', '/api/agents', { headers: bearer })).body).toEqual({ agents: [] })
  })

  it('A19: lets nobody in while a token that has to be there is missing', async () => {
    for (const auth of [
      { kind: 'token', token: () => undefined },
      { kind: 'token', token: '' },
      { kind: 'settings', required: true },
    ] as const) {
      await using platform = await startPlatform(way, { auth })
      expect((await platform.send('GET', '/api/agents')).status).toBe(401)
      expect(
        (await platform.send('GET', '/api/agents', { headers: { authorization: 'Bearer ' } })).status,
      ).toBe(401)
      expect(
        (await platform.send('GET', '/api/agents', { headers: { authorization: 'Bearer undefined' } }))
          .status,
      ).toBe(401)
    }
  })

  it('A19: follows the setting api_token from one call to the next', async () => {
    await using platform = await startPlatform(way, { auth: { kind: 'settings' } })
    const { send } = platform
    expect((await send('GET', '/api/agents')).status).toBe(200)
    expect((await send('PUT', '/api/settings', { body: { api_token: token } })).body).toEqual({ ok: true })
    expect((await send('GET', '/api/agents')).status).toBe(401)
    expect((await send('GET', '/api/agents', { headers: bearer })).status).toBe(200)
  })

  it('A19: takes the check of the host', async () => {
    await using platform = await startPlatform(way, { auth: async (view) => view.header('x-user') === 'me' })
    expect((await platform.send('GET', '/api/agents')).status).toBe(401)
    expect((await platform.send('GET', '/api/agents', { headers: { 'x-user': 'me' } })).status).toBe(200)
  })

  it('A19: takes callers whom the host recognizes, in addition to tokens, and names them in the audit', async () => {
    const auth: PlatformAuth = {
      kind: 'token',
      token,
      recognize: (view) =>
        view.header('x-user') === 'ann' ? { scopes: ['read'], actor: 'user:ann' } : undefined,
    }
    await using platform = await startPlatform(way, { auth })
    const { send } = platform
    const ann = { 'x-user': 'ann' }
    expect((await send('GET', '/api/agents', { headers: ann })).status).toBe(200)
    expect((await send('GET', '/api/agents', { headers: { 'x-user': 'bob' } })).status).toBe(401)
    expect((await send('GET', '/api/agents', { headers: bearer })).status).toBe(200)
    const agent = { body: { id: 'a', model: 'test/echo' } }
    expect((await send('POST', '/api/agents', { ...agent, headers: ann })).status).toBe(403)
    const { body } = await send('GET', '/api/audit', { headers: bearer })
    expect(body.entries).toMatchObject([{ actor: 'user:ann' }])
  })

  it('A19: refuses a foreign Origin, also without a token and also for /health', async () => {
    await using platform = await startPlatform(way)
    for (const origin of [
      'https://evil.example',
      'null',
      'http://127.0.0.1:1',
      `${platform.url}.evil.example`,
    ]) {
      for (const path of ['/api/agents', '/health', '/nowhere']) {
        const answer = await platform.send('GET', path, { headers: { origin } })
        expect([answer.status, answer.body.code], `${origin} ${path}`).toEqual([403, 'forbidden'])
        expect(answer.headers.get('access-control-allow-origin')).toBeNull()
      }
    }
    expect((await platform.send('GET', '/api/agents', { headers: { origin: platform.url } })).status).toBe(
      200,
    )
  })

  it('A19: /health needs no token, and every answer says nosniff', async () => {
    await using platform = await startPlatform(way, { auth: { kind: 'token', token } })
    const health = await platform.send('GET', '/health')
    expect([health.status, health.body]).toEqual([200, { status: 'ok' }])
    for (const path of ['/health', '/api/agents', '/nowhere']) {
      const answer = await platform.send('GET', path)
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
      expect(answer.headers.get('x-request-id')).toBeTruthy()
    }
  })

  it('A2, A19: takes JSON under its own content type only, and of a bounded size', async () => {
    await using platform = await startPlatform(way)
    const json = JSON.stringify({ id: 'a', model: 'test/echo' })
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonp',
    ]) {
      const answer = await platform.send('POST', '/api/agents', {
        body: json,
        headers: { 'content-type': type },
      })
      expect([answer.status, answer.body.code]).toEqual([415, 'unsupported_media_type'])
    }
    const headers = { 'content-type': 'application/json' }
    for (const [body, status, code] of [
      ['{"id": "a", ', 400, 'validation_error'],
      ['', 400, 'validation_error'],
      [
        JSON.stringify({ id: 'a', model: 'm', personality: 'x'.repeat(5 * 1024 * 1024) }),
        413,
        'payload_too_large',
      ],
    ] as const) {
      const answer = await platform.send('POST', '/api/agents', { body, headers })
      expect([answer.status, answer.body.code]).toEqual([status, code])
    }
    const charset = { 'content-type': 'application/json; charset=utf-8' }
    expect((await platform.send('GET', '/api/agents')).body).toEqual({ agents: [] })
    expect((await platform.send('POST', '/api/agents', { body: json, headers: charset })).status).toBe(201)
  })

  it('A2: says which methods a path takes, and that there is no such path', async () => {
    await using platform = await startPlatform(way)
    const wrong = await platform.send('PATCH', '/api/agents/a')
    expect([wrong.status, wrong.body.code]).toEqual([405, 'method_not_allowed'])
    expect(wrong.headers.get('allow')).toContain('PUT')
    const nowhere = await platform.send('GET', '/api/nothing')
    expect([nowhere.status, nowhere.body.code]).toEqual([404, 'not_found'])
  })
})

it('A19: lets nobody in while the settings cannot be read, and says why', async () => {
  const home = await mkdtemp(join(tmpdir(), 'homeward-access-'))
  onTestFinished(() => rm(home, { recursive: true }))
  await using platform = await startPlatform('over HTTP', { home, auth: { kind: 'settings' } })
  expect((await platform.send('GET', '/api/agents')).status).toBe(200)
  await writeFile(join(home, 'config.json'), '{"api_token": "a-long-token",}')
  const broken = await platform.send('GET', '/api/agents')
  expect([broken.status, broken.body]).toMatchObject([
    500,
    {
      code: 'storage_error',
      message: 'Reading config.json failed: it is not valid JSON. Correct or remove the file.',
    },
  ])
  expect(platform.errors).toHaveLength(1)
  await rm(join(home, 'config.json'))
  expect((await platform.send('GET', '/api/agents')).status).toBe(200)
  await platform.runtime.close()
  const closed = await platform.send('GET', '/api/agents')
  expect([closed.status, closed.body.code]).toEqual([503, 'closed'])
})

it('A19: refuses a foreign Host, which is how DNS rebinding looks', async () => {
  await using platform = await startPlatform('over HTTP')
  const { port } = new URL(platform.url)
  for (const host of [
    'evil.example',
    `evil.example:${port}`,
    `127.0.0.1.evil.example:${port}`,
    `0.0.0.0:${port}`,
  ]) {
    expect(await sendRaw(platform.url, { host })).toMatchObject({ status: 403, body: { code: 'forbidden' } })
    expect(await sendRaw(platform.url, { host }, '/health')).toMatchObject({ status: 403 })
  }
  for (const host of [`localhost:${port}`, `[::1]:${port}`, `127.0.0.1:${port}`]) {
    expect(await sendRaw(platform.url, { host })).toMatchObject({ status: 200 })
  }
})

it('A19: takes the guard of a host that has another name', async () => {
  const guard = createAccessGuard({ hosts: ['agents.example'], origins: ['https://console.example'] })
  await using platform = await startPlatform('over HTTP', { handler: { guard } })
  expect(await sendRaw(platform.url, {})).toMatchObject({ status: 403 })
  expect(
    await sendRaw(platform.url, { host: 'agents.example', origin: 'https://console.example' }),
  ).toMatchObject({ status: 200 })
})

it.each([undefined, null, 'none', {}, { kind: 'tokens' }, { kind: 'token' }, { kind: 'token', token: 1 }])(
  'A19: refuses %j for who may call when a handler or sockets are created',
  async (auth) => {
    await using runtime = createRuntime()
    const options = { runtime, auth: auth as never }
    expect(() => createAgentPlatformHandler(options)).toThrow('"auth" must be')
    expect(() => createEventSockets(options)).toThrow('"auth" must be')
  },
)

it.each(['loopback', null, { hosts: ['agents.example'] }])(
  'A19: refuses %j for a guard when a handler or sockets are created, not with each request',
  async (guard) => {
    await using runtime = createRuntime()
    const options = { runtime, auth: { kind: 'none' } as const, guard: guard as never }
    expect(() => createAgentPlatformHandler(options)).toThrow('"guard" must be a function')
    expect(() => createEventSockets(options)).toThrow('"guard" must be a function')
  },
)
