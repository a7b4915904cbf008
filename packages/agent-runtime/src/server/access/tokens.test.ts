import type { AccessToken } from '@homeward/contract/agent-platform'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createEventSockets } from '../events/create-event-sockets.ts'
import {
  startWithScripts,
  ways,
  type TestPlatform,
  type TestPlatformOptions,
} from '../testing/start-platform.ts'

const apiToken = 'correct-horse-battery-staple'
const admin = { authorization: `Bearer ${apiToken}` }
const options: TestPlatformOptions = { auth: { kind: 'settings' }, environment: { API_TOKEN: apiToken } }

interface Caller {
  readonly token: AccessToken
  readonly secret: string
  readonly headers: { readonly authorization: string }
}

/** Agents `echo` and `other`, as the first administrator. */
async function start(way: (typeof ways)[number], more: TestPlatformOptions = {}): Promise<TestPlatform> {
  const platform = await startWithScripts(way, {}, { ...options, ...more })
  for (const id of ['echo', 'other'])
    await platform.send('POST', '/api/agents', { body: { id, model: 'test/echo' }, headers: admin })
  return platform
}

async function createToken({ send }: TestPlatform, body: object): Promise<Caller> {
  const created = await send('POST', '/api/tokens', { body: { name: 'ci', ...body }, headers: admin })
  expect(created.status).toBe(201)
  const { token, secret } = created.body as Caller
  return { token, secret, headers: { authorization: `Bearer ${secret}` } }
}

describe.each(ways)('access tokens %s', (way) => {
  it('A26: shows the secret once, and lists the token without it', async () => {
    await using platform = await start(way)
    const { token, secret, headers } = await createToken(platform, { scopes: ['read'], agents: ['echo'] })
    expect(secret).toMatch(/^hwp_[\w-]{43}$/)
    expect(token).toEqual({
      id: expect.any(String) as string,
      name: 'ci',
      scopes: ['read'],
      agents: ['echo'],
      created_at: expect.any(String) as string,
    })
    await platform.send('GET', '/api/runs', { headers })
    const listed = await platform.send('GET', '/api/tokens', { headers: admin })
    expect(listed.body.tokens).toEqual([{ ...token, last_used_at: expect.any(String) as string }])
    const logs = await platform.send('GET', '/api/logs', { headers: admin })
    const audit = await platform.send('GET', '/api/audit', { headers: admin })
    expect(listed.text + logs.text + audit.text).not.toContain(secret)
  })

  it('A26: rejects a token that was deleted, has expired or does not exist, in the shape of each endpoint', async () => {
    await using platform = await start(way)
    const { send } = platform
    const { token, headers } = await createToken(platform, { scopes: ['read'] })
    expect((await send('GET', '/v1/models', { headers })).status).toBe(200)
    expect((await send('DELETE', `/api/tokens/${token.id}`, { headers: admin })).body).toEqual({ ok: true })
    expect((await send('DELETE', `/api/tokens/${token.id}`, { headers: admin })).status).toBe(404)
    const rejected = await send('GET', '/api/agents', { headers })
    expect([rejected.status, rejected.body.code]).toEqual([401, 'unauthorized'])
    const ofOpenAi = await send('GET', '/v1/models', { headers })
    expect([ofOpenAi.status, ofOpenAi.body.error.code]).toEqual([401, 'invalid_api_key'])
    const soon = await createToken(platform, {
      scopes: ['read'],
      // on a slow machine, less is over when the request arrives
      expires_at: new Date(Date.now() + 2000).toISOString(),
    })
    const statusOf = async () => (await send('GET', '/api/agents', { headers: soon.headers })).status
    await expect.poll(statusOf, { timeout: 30_000 }).toBe(401)
    const past = { name: 'x', scopes: ['read'], expires_at: '2020-01-01T00:00:00Z' }
    expect((await send('POST', '/api/tokens', { body: past, headers: admin })).status).toBe(400)
    const both = { name: 'x', scopes: ['admin', 'read'], agents: ['echo'] }
    expect((await send('POST', '/api/tokens', { body: both, headers: admin })).status).toBe(400)
  })

  it('A26: creates one token for one idempotency key, and gives its secret again until it is used', async () => {
    await using platform = await start(way)
    const { send } = platform
    const body = { name: 'ci', scopes: ['read'] }
    const create = (more: object, key?: string) =>
      send('POST', '/api/tokens', {
        body: { ...body, ...more },
        headers: { ...admin, ...(key !== undefined && { 'idempotency-key': key }) },
      })
    const first = await create({}, 'k')
    const again = await create({ idempotency_key: 'k' })
    expect([again.status, again.body]).toEqual([201, first.body])
    expect((await send('GET', '/api/tokens', { headers: admin })).body.tokens).toEqual([first.body.token])
    expect((await create({ name: 'other' }, 'k')).body.code).toBe('conflict')
    const { entries } = (await send('GET', '/api/audit?action=token.created', { headers: admin })).body
    const shown = (entries as Record<string, string>[]).map(({ target, outcome }) => [target, outcome])
    const id = first.body.token.id as string
    expect(shown).toEqual([
      ['', 'refused'],
      [id, 'done'],
      [id, 'done'],
    ])
    await send('GET', '/api/agents', { headers: { authorization: `Bearer ${first.body.secret as string}` } })
    const late = await create({}, 'k')
    expect([late.status, late.body.message]).toEqual([409, expect.stringContaining('is shown only once')])
  })

  it('A26: a token creates no token that outlives it', async () => {
    await using platform = await start(way)
    const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
    const parent = await createToken(platform, { scopes: ['admin'], expires_at: at(2) })
    const create = (more: object) =>
      platform.send('POST', '/api/tokens', {
        body: { name: 'child', scopes: ['admin'], ...more },
        headers: parent.headers,
      })
    expect((await create({})).body.token.expires_at).toBe(parent.token.expires_at)
    expect((await create({ expires_at: at(1) })).status).toBe(201)
    const longer = await create({ expires_at: at(3) })
    expect([longer.status, longer.body.code, longer.body.message]).toEqual([
      403,
      'forbidden',
      expect.stringContaining('"expires_at" must be at or before'),
    ])
  })

  it('A26: limits how often an address may guess, without locking out a token that worked', async () => {
    await using platform = await start(way)
    const { headers } = await createToken(platform, { scopes: ['read'] })
    expect((await platform.send('GET', '/api/agents', { headers })).status).toBe(200)
    const wrong = { authorization: `Bearer hwp_${'x'.repeat(43)}` }
    const statuses = new Set<number>()
    for (let count = 0; count < 80; count += 1)
      statuses.add((await platform.send('GET', '/api/agents', { headers: wrong })).status)
    expect(statuses).toEqual(new Set([401, 429]))
    expect((await platform.send('GET', '/api/agents', { headers })).status).toBe(200)
    expect((await platform.send('GET', '/api/agents', { headers: admin })).status).toBe(200)
  })

  it('A26: a server without a token stays open, but a token that is sent counts', async () => {
    await using platform = await startWithScripts(way, {}, { auth: { kind: 'settings' } })
    const { send } = platform
    const created = await send('POST', '/api/tokens', { body: { name: 'ci', scopes: ['read'] } })
    const headers = { authorization: `Bearer ${created.body.secret as string}` }
    expect((await send('GET', '/api/agents')).status).toBe(200)
    expect((await send('GET', '/api/agents', { headers })).status).toBe(200)
    expect((await send('DELETE', '/api/agents/echo', { headers })).status).toBe(403)
    await send('DELETE', `/api/tokens/${created.body.token.id as string}`)
    expect((await send('GET', '/api/agents', { headers })).status).toBe(401)
  })
})

const endings = ['is deleted', 'expires'] as const

it.each(endings)('A26: a stream ends once the token of its reader %s, and not before', async (ending) => {
  const script = { slow: [{ text: 'Half', hang: true }] }
  await using platform = await startWithScripts('in process', script, {
    ...options,
    now: () => Date.now(), // the clock that is moved below
  })
  await platform.send('POST', '/api/agents', { body: { id: 'slow', model: 'mine/slow' }, headers: admin })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  const expires_at = new Date(Date.now() + 32_000).toISOString()
  const { token, headers } = await createToken(platform, {
    scopes: ['run'],
    ...(ending === 'expires' && { expires_at }),
  })
  onTestFinished(() => void vi.useRealTimers())
  const response = await platform.fetch('/api/agents/run/stream', {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ agent_id: 'slow', task: 'wait' }),
  })
  let hasEnded = false
  const text = response.text().finally(() => (hasEnded = true))
  await vi.advanceTimersByTimeAsync(31_000)
  expect(hasEnded).toBe(false)
  if (ending === 'is deleted') await platform.send('DELETE', `/api/tokens/${token.id}`, { headers: admin })
  await vi.advanceTimersByTimeAsync(11_000)
  expect(await text).toContain('Half')
})

it('A26: a socket of events needs the scope "read" and all agents, and ends with its token', async () => {
  await using platform = await start('in process')
  const { runtime } = platform
  const sockets = createEventSockets({ runtime, auth: { kind: 'settings' } })
  const upgradeOf = ({ authorization }: Caller['headers']) => ({
    url: 'http://127.0.0.1/api/events',
    headers: new Headers({ host: '127.0.0.1', upgrade: 'websocket', authorization }),
  })
  for (const body of [{ scopes: ['run'] }, { scopes: ['read'], agents: ['echo'] }]) {
    const { headers } = await createToken(platform, body)
    const answer = await sockets.checkUpgrade(upgradeOf(headers))
    expect(answer.isAccepted ? 101 : answer.response.status).toBe(403)
  }
  const { token, headers } = await createToken(platform, { scopes: ['read'] })
  const answer = await sockets.checkUpgrade(upgradeOf(headers))
  if (!answer.isAccepted) throw new Error('The upgrade was refused.')
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const closed: number[] = []
  sockets.open({ send: () => {}, close: (code) => closed.push(code) }, answer)
  await vi.advanceTimersByTimeAsync(31_000)
  expect(closed).toEqual([])
  await platform.send('DELETE', `/api/tokens/${token.id}`, { headers: admin })
  await vi.advanceTimersByTimeAsync(11_000)
  expect(closed).toEqual([1008])
  sockets.close()
})
