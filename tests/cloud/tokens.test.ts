import type { CloudStore, Session } from '@homeward/cloud-core'
import { createMemoryStore } from '@homeward/cloud-core/memory'
import { describe, expect, it } from 'vitest'
import { createTestCloud, storeKinds, type TestCloud } from './test-cloud.ts'

interface Created {
  readonly id: string
  readonly secret: string
  readonly headers: { readonly authorization: string }
}

const authorize = (secret: string) => ({ authorization: `Bearer ${secret}` })

async function create(test: TestCloud, body: object, headers = {}): Promise<Created> {
  const answer = await test.send('POST', '/api/tokens', { body, headers })
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)])
  const { token, secret } = answer.body as unknown as { token: { id: string }; secret: string }
  return { id: token.id, secret, headers: authorize(secret) }
}

const hour = 60 * 60 * 1000

describe.each(storeKinds)('API tokens over %s', (kind) => {
  it('C30: gives a secret once, and shows everything else of a token in the list', async () => {
    await using test = await createTestCloud(kind)
    const body = {
      name: ' nightly ',
      may: ['read', 'search', 'read'],
      expiresAt: '2026-02-01T00:00:00+01:00',
    }
    const made = await test.send('POST', '/api/tokens', { body })
    expect(made.status).toBe(201)
    expect(made.headers.get('cache-control')).toBe('no-store')
    const { token, secret } = made.body as unknown as { token: object; secret: string }
    expect(secret).toMatch(/^hwt_[\w-]{43}$/)
    expect(token).toEqual({
      id: expect.any(String),
      name: 'nightly',
      may: ['read', 'search'],
      hint: `hwt_…${secret.slice(-4)}`,
      createdAt: '2026-01-01T00:00:00.000Z',
      expiresAt: '2026-01-31T23:00:00.000Z',
    })
    const listed = await test.send('GET', '/api/tokens')
    expect(listed.body['tokens']).toEqual([token])
    const audit = await test.send('GET', '/api/audit')
    expect(audit.body['entries']).toMatchObject([{ action: 'token:created', name: 'nightly' }])
    expect(listed.text + audit.text).not.toContain(secret)
  })

  it('C30: acts as its owner, under its own name in the audit, from any address', async () => {
    await using test = await createTestCloud(kind)
    const { id } = await test.register()
    const token = await create(test, { name: 'cleaner', may: ['read', 'manage', 'audit'] })
    const from = '203.0.113.9'
    const listed = await test.send('GET', '/api/devices', { headers: token.headers, from })
    expect(listed.body.devices).toMatchObject([{ id }])
    test.advance(1)
    expect((await test.send('DELETE', `/api/devices/${id}`, { headers: token.headers, from })).status).toBe(
      200,
    )
    const { body } = await test.send('GET', '/api/audit?actor=token:cleaner')
    expect(body['entries']).toMatchObject([{ action: 'device:deleted', userId: 'local', address: from }])
    const refused = await test.send('POST', '/api/devices/search/query', { body: {}, headers: token.headers })
    expect([refused.status, refused.body['error']]).toEqual([403, 'Forbidden'])
  })

  it('C30: is rejected once it is revoked or expired, also where a local session would be accepted', async () => {
    await using test = await createTestCloud(kind)
    const revoked = await create(test, { name: 'a', may: ['read'] })
    const expired = await create(test, { name: 'b', may: ['read'], expiresAt: '2026-01-01T01:00:00Z' })
    for (const { headers } of [revoked, expired])
      expect((await test.send('GET', '/api/devices', { headers })).status).toBe(200)
    expect((await test.send('DELETE', `/api/tokens/${revoked.id}`)).body).toEqual({ success: true })
    test.advance(hour)
    for (const { headers } of [revoked, expired]) {
      const answer = await test.send('GET', '/api/devices', { headers })
      expect([answer.status, answer.text]).toEqual([401, '{"error":"Unauthorized"}'])
      expect(answer.headers.get('www-authenticate')).toContain('Bearer error="invalid_token"')
    }
    expect((await test.send('DELETE', `/api/tokens/${revoked.id}`)).status).toBe(404)
  })

  it('C30: gives away no more than its creator has, and no longer', async () => {
    await using test = await createTestCloud(kind)
    const parent = await create(test, {
      name: 'p',
      may: ['manage', 'read'],
      expiresAt: '2026-03-01T00:00:00Z',
    })
    const { headers } = parent
    const more = await test.send('POST', '/api/tokens', {
      body: { name: 'c', may: ['read', 'audit'] },
      headers,
    })
    expect([more.status, more.body.message]).toEqual([403, expect.stringContaining('"audit"')])
    const longer = { name: 'c', may: ['read'], expiresAt: '2026-03-01T00:00:01Z' }
    expect((await test.send('POST', '/api/tokens', { body: longer, headers })).status).toBe(403)
    const made = await test.send('POST', '/api/tokens', { body: { name: 'c', may: ['read'] }, headers })
    expect(made.body['token']).toMatchObject({
      createdBy: 'token:p',
      expiresAt: '2026-03-01T00:00:00.000Z',
      may: ['read'],
    })
  })

  it('C20, C30: gives the same secret to a repeat under the same idempotency key', async () => {
    await using test = await createTestCloud(kind)
    const headers = { 'idempotency-key': 'once' }
    const first = await create(test, { name: 'a', may: ['read'] }, headers)
    expect((await create(test, { name: 'a', may: ['read'] }, headers)).secret).toBe(first.secret)
    const other = await test.send('POST', '/api/tokens', { body: { name: 'b', may: ['read'] }, headers })
    expect(other.status).toBe(409)
    expect((await test.send('GET', '/api/tokens')).body['tokens']).toHaveLength(1)
  })

  it('C30: notes its use once an hour, and not of a request that it may not make', async () => {
    await using test = await createTestCloud(kind)
    const { headers } = await create(test, { name: 'a', may: ['read'] })
    const lastUse = async () => {
      const { body } = await test.send('GET', '/api/tokens')
      return (body['tokens'] as readonly { lastUsedAt?: string }[])[0]?.lastUsedAt
    }
    await test.send('GET', '/api/audit', { headers })
    expect(await lastUse()).toBeUndefined()
    await test.send('GET', '/api/devices', { headers })
    test.advance(hour - 1)
    await test.send('GET', '/api/devices', { headers })
    expect(await lastUse()).toBe('2026-01-01T00:00:00.000Z')
    test.advance(1)
    await test.send('GET', '/api/devices', { headers })
    expect(await lastUse()).toBe('2026-01-01T01:00:00.000Z')
  })
})

describe('who a request is from', () => {
  const wrong = [
    ['a token that nobody has', `Bearer hwt_${'x'.repeat(43)}`],
    ['a token that is cut', 'Bearer hwt_abc'],
    ['two tokens', `Bearer hwt_${'x'.repeat(43)}, Bearer hwt_${'y'.repeat(43)}`],
    ['the key of a device', `Bearer hw_${'x'.repeat(43)}`],
    ['something else', 'Basic YTpi'],
    ['nothing', ''],
  ] as const

  it.each(wrong)('C30: %s in the header is 401, not the local session', async (_name, authorization) => {
    await using test = await createTestCloud('memory')
    const answer = await test.send('GET', '/api/devices', { headers: { authorization } })
    expect([answer.status, answer.text]).toEqual([401, '{"error":"Unauthorized"}'])
    expect((await test.send('GET', '/api/devices')).status).toBe(200)
  })

  it('C30: asks the session mechanism for no request that carries an API token', async () => {
    let asked = 0
    const resolve = (): Session => ({ userId: `user ${(asked += 1)}` })
    await using test = await createTestCloud('memory', { sessions: { resolve } })
    const { headers } = await create(test, { name: 'a', may: ['read'] })
    expect((await test.send('GET', '/api/devices', { headers })).status).toBe(200)
    await test.send('GET', '/api/devices', { headers: authorize(`hwt_${'x'.repeat(43)}`) })
    expect(asked).toBe(1)
  })
})

describe('tokens in several processes', () => {
  it('C30: a token that another process revokes works for 5 seconds more at most', async () => {
    const store: CloudStore = { ...createMemoryStore(), close: async () => {} }
    await using one = await createTestCloud('memory', { store })
    await using other = await createTestCloud('memory', { store })
    const { id, headers } = await create(one, { name: 'a', may: ['read'] })
    expect((await other.send('GET', '/api/devices', { headers })).status).toBe(200)
    await one.send('DELETE', `/api/tokens/${id}`)
    expect((await one.send('GET', '/api/devices', { headers })).status).toBe(401)
    other.advance(5000)
    expect((await other.send('GET', '/api/devices', { headers })).status).toBe(401)
  })

  it('C12, C30: a flood of guesses reaches the store 60 times at once, and a token that worked still works', async () => {
    let lookUps = 0
    const memory = createMemoryStore()
    const findTokenByHash: CloudStore['findTokenByHash'] = (...input) => {
      lookUps += 1
      return memory.findTokenByHash(...input)
    }
    await using test = await createTestCloud('memory', { store: { ...memory, findTokenByHash } })
    const { headers } = await create(test, { name: 'a', may: ['read'] })
    await test.send('GET', '/api/devices', { headers })
    lookUps = 0
    const statuses: number[] = []
    for (let guess = 0; guess < 200; guess += 1) {
      const secret = `hwt_${String(guess).padStart(43, 'x')}`
      statuses.push((await test.send('GET', '/api/devices', { headers: authorize(secret) })).status)
    }
    expect(lookUps).toBe(60)
    expect(statuses.filter((status) => status === 401)).toHaveLength(60)
    expect(statuses.filter((status) => status === 429)).toHaveLength(140)
    test.advance(6000)
    expect((await test.send('GET', '/api/devices', { headers })).status).toBe(200)
  })

  it('C30: an owner has 100 tokens at most', async () => {
    await using test = await createTestCloud('memory')
    for (let count = 0; count < 100; count += 1) await create(test, { name: `t${count}`, may: ['read'] })
    const answer = await test.send('POST', '/api/tokens', { body: { name: 'x', may: ['read'] } })
    expect([answer.status, answer.body.message]).toEqual([
      409,
      'Creating the API token failed: a user can have at most 100 API tokens. Delete one that you no longer use.',
    ])
  })
})
