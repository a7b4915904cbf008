import { describe, expect, it } from 'vitest'
import { createTestCloud, storeKinds } from './test-cloud.ts'

const beat = { metadata: { os: 'Linux', version: '6.1', hardware: 'x86' } }

describe.each(storeKinds)('devices over %s', (kind) => {
  it('C1: takes any type and platform of 1 to 64 characters', async () => {
    await using test = await createTestCloud(kind)
    const body = { name: 'fridge', type: ' kitchen-thing ', platform: 'zephyr', metadata: {} }
    const answer = await test.send('POST', '/api/devices', { body })
    expect(answer.body).toMatchObject({
      device: { type: 'kitchen-thing', platform: 'zephyr', status: 'offline' },
    })
    for (const type of ['', '   ', 'x'.repeat(65), 7]) {
      const refused = await test.send('POST', '/api/devices', { body: { ...body, type } })
      expect(refused.status).toBe(400)
      expect(refused.body).toMatchObject({
        error: 'Validation error',
        message: expect.stringContaining('type'),
      })
    }
  })

  it('C2: is online for 150 s after a heartbeat, by the clock of the server', async () => {
    await using test = await createTestCloud(kind)
    const { headers } = await test.register()
    const status = async () => (await test.send('GET', '/api/devices')).body.devices![0]!.status
    expect(await status()).toBe('offline')
    const answer = await test.send('POST', '/api/devices/heartbeat', { body: beat, headers })
    expect(answer.body).toMatchObject({ success: true, status: 'online' })
    test.advance(150_000)
    expect(await status()).toBe('online')
    test.advance(1)
    expect(await status()).toBe('offline')
  })

  it('C2: is online no longer than that once a clock that ran ahead was put back', async () => {
    await using test = await createTestCloud(kind, { flush: 'sync' })
    const { headers } = await test.register()
    const beatNow = () => test.send('POST', '/api/devices/heartbeat', { body: beat, headers })
    const device = async () => (await test.send('GET', '/api/devices')).body.devices![0]!
    test.advance(86_400_000)
    await beatNow()
    test.advance(-86_400_000)
    expect((await device()).status).toBe('offline')
    await beatNow()
    expect(await device()).toMatchObject({ status: 'online', lastSeenAt: '2026-01-01T00:00:00.000Z' })
    test.advance(150_001)
    expect((await device()).status).toBe('offline')
  })

  it('C3: reads heartbeats through before they are written, and writes them on close', async () => {
    await using test = await createTestCloud(kind)
    const { id, headers } = await test.register()
    await test.send('POST', '/api/devices/heartbeat', { body: beat, headers })
    expect((await test.store.findDevice('local', id))?.lastSeenAt).toBeNull()
    const list = await test.send('GET', '/api/devices')
    expect(list.body).toMatchObject({
      devices: [{ lastSeenAt: '2026-01-01T00:00:00.000Z', metadata: beat.metadata }],
    })
  })

  it("C3: stores a heartbeat before the answer where flush is 'sync'", async () => {
    await using test = await createTestCloud(kind, { flush: 'sync' })
    const { id, headers } = await test.register()
    await test.send('POST', '/api/devices/heartbeat', { body: beat, headers })
    expect((await test.store.findDevice('local', id))?.lastSeenAt).toBe('2026-01-01T00:00:00.000Z')
  })

  it('C14: refuses missing, malformed and unknown keys alike, and never shows a key in a list', async () => {
    await using test = await createTestCloud(kind)
    const { apiKey } = await test.register()
    expect(apiKey).toMatch(/^hw_[\w-]{43}$/)
    for (const authorization of [
      undefined,
      'Bearer',
      'Bearer x',
      `Basic ${apiKey}`,
      `Bearer hw_${'a'.repeat(43)}`,
    ]) {
      const answer = await test.send('POST', '/api/devices/heartbeat', {
        body: beat,
        headers: authorization === undefined ? {} : { authorization },
      })
      expect(answer.status).toBe(401)
      expect(answer.body).toEqual({ error: 'Invalid or missing API key' })
    }
    expect((await test.send('GET', '/api/devices')).text).not.toContain(apiKey)
  })

  it('says of an Authorization that came twice why it is refused', async () => {
    await using test = await createTestCloud(kind)
    const { apiKey } = await test.register()
    const headers = { authorization: `Bearer ${apiKey}, Bearer ${apiKey}` }
    const answer = await test.send('POST', '/api/devices/heartbeat', { body: beat, headers })
    expect([answer.status, answer.body]).toEqual([401, { error: 'Invalid or missing API key' }])
    expect(answer.headers.get('www-authenticate')).toMatch(/invalid_request.*Send it once/)
  })

  it('C14: reveals a key only where keySecret is configured', async () => {
    await using closed = await createTestCloud(kind)
    const hidden = await closed.register()
    expect((await closed.send('GET', `/api/devices/${hidden.id}/key`)).status).toBe(404)

    await using open = await createTestCloud(kind, { keySecret: 'a secret of the operator' })
    const { id, apiKey } = await open.register()
    const answer = await open.send('GET', `/api/devices/${id}/key`)
    expect(answer.body).toEqual({ apiKey })
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  it('C15: keeps the old key until the new one is first used, at most 24 h', async () => {
    await using test = await createTestCloud(kind)
    const { id, headers: old } = await test.register()
    const use = (headers: Record<string, string>) =>
      test.send('POST', '/api/devices/heartbeat', { body: beat, headers })
    const rotated = await test.send('POST', `/api/devices/${id}/rotate-key`)
    const fresh = { authorization: `Bearer ${rotated.body.apiKey!}` }
    expect((await use(old)).status).toBe(200)
    expect((await use(fresh)).status).toBe(200)
    expect((await use(old)).status).toBe(401)

    await test.send('POST', `/api/devices/${id}/rotate-key`)
    test.advance(24 * 3_600_000 + 1)
    expect((await use(fresh)).status).toBe(401)
  })

  it('C15: revokes the key of a deleted device at once', async () => {
    await using test = await createTestCloud(kind)
    const { id, headers } = await test.register()
    expect((await test.send('POST', '/api/devices/heartbeat', { body: beat, headers })).status).toBe(200)
    expect((await test.send('DELETE', `/api/devices/${id}`)).body).toEqual({ success: true })
    expect((await test.send('POST', '/api/devices/heartbeat', { body: beat, headers })).status).toBe(401)
    expect((await test.send('DELETE', `/api/devices/${id}`)).body).toEqual({ error: 'Device not found' })
  })

  it('C19: merges heartbeat metadata, and keeps it within 8 KiB', async () => {
    await using test = await createTestCloud(kind)
    const { headers } = await test.register()
    for (let round = 0; round < 20; round += 1) {
      test.advance(2000)
      const metadata = { os: `os ${round}`, [`extra${round}`]: 'x'.repeat(1000) }
      expect(
        (await test.send('POST', '/api/devices/heartbeat', { body: { metadata }, headers })).status,
      ).toBe(200)
    }
    const list = (await test.send('GET', '/api/devices')).body
    expect(list.devices![0]!.metadata).toMatchObject({ os: 'os 19', extra0: expect.any(String) })
    expect(JSON.stringify(list.devices![0]!.metadata).length).toBeLessThanOrEqual(8192)
    const large = { metadata: { note: 'x'.repeat(9000) } }
    expect((await test.send('POST', '/api/devices/heartbeat', { body: large, headers })).status).toBe(400)
  })

  it('C20: registers once under one Idempotency-Key, and gives the same API key again', async () => {
    await using test = await createTestCloud(kind)
    const send = (name: string) =>
      test.send('POST', '/api/devices', {
        body: { name, type: 'server', platform: 'linux', metadata: {} },
        headers: { 'idempotency-key': 'first try' },
      })
    const answers = await Promise.all(Array.from({ length: 8 }, () => send('nas')))
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1)
    expect((await test.send('GET', '/api/devices')).body.devices!).toHaveLength(1)
    expect((await send('another')).status).toBe(409)
  })

  it('C21: tells a heartbeat how much work waits', async () => {
    await using test = await createTestCloud(kind, { heartbeatIntervalSeconds: 45 })
    const { id, headers } = await test.register()
    await test.send('POST', '/api/devices/search/query', {
      body: { query: 'a', scope: ['files'], deviceIds: [id] },
    })
    const answer = await test.send('POST', '/api/devices/heartbeat', { body: beat, headers })
    expect(answer.body).toMatchObject({ pending: { searches: 1, uploads: 0 }, nextHeartbeatInSeconds: 45 })
  })

  it('C23: knows nobody who does not call from this machine itself', async () => {
    await using test = await createTestCloud(kind)
    expect((await test.send('GET', '/api/devices')).status).toBe(200)
    const remote = await test.send('GET', '/api/devices', { from: '192.0.2.7' })
    expect(remote.status).toBe(401)
    expect(remote.body).toEqual({ error: 'Unauthorized' })
    const tunneled = await test.send('GET', '/api/devices', { headers: { 'x-forwarded-for': '192.0.2.7' } })
    expect(tunneled.status).toBe(401)
  })

  it('C11: pages through devices, newest first', async () => {
    await using test = await createTestCloud(kind)
    for (const name of ['a', 'b', 'c']) {
      await test.register(name)
      test.advance(1)
    }
    const first = (await test.send('GET', '/api/devices?limit=2')).body
    expect(first.devices!.map((device) => device['name'])).toEqual(['c', 'b'])
    const second = (await test.send('GET', `/api/devices?limit=2&cursor=${first.nextCursor}`)).body
    expect(second.devices!.map((device) => device['name'])).toEqual(['a'])
    expect(second).not.toHaveProperty('nextCursor')
    expect((await test.send('GET', '/api/devices?cursor=nonsense')).status).toBe(400)
  })
})
