import { describe, expect, it } from 'vitest'
import { createTestCloud, storeKinds } from './test-cloud.ts'

const beat = { metadata: { os: 'Linux', version: '6.1', hardware: 'x86' } }
const bad = (index: number) => ({ authorization: `Bearer hw_${String(index).padStart(43, 'x')}` })

describe.each(storeKinds)('limits over %s', (kind) => {
  it('C12: paces reports at 10 a second after a burst of 20', async () => {
    await using test = await createTestCloud(kind)
    const { headers } = await test.register()
    const report = () =>
      test.send('POST', '/api/devices/search', { body: { queryId: 'x', results: {} }, headers })
    for (let index = 0; index < 20; index += 1) expect((await report()).status).toBe(404)
    expect((await report()).status).toBe(429)
    test.advance(100)
    expect((await report()).status).toBe(404)
    expect((await report()).status).toBe(429)
  })

  it('C12: guards heartbeats and polls against abuse, each on its own', async () => {
    await using test = await createTestCloud(kind)
    const { headers } = await test.register()
    const send = () => test.send('POST', '/api/devices/heartbeat', { body: beat, headers })
    for (let index = 0; index < 10; index += 1) expect((await send()).status).toBe(200)
    expect((await send()).status).toBe(429)
    expect((await test.send('GET', '/api/devices/search/pending', { headers })).status).toBe(200)
    test.advance(1000)
    expect((await send()).status).toBe(200)
  })

  it('C12: limits failed authentications by address, and still serves devices it knows', async () => {
    await using test = await createTestCloud(kind)
    const { headers } = await test.register()
    let reads = 0
    const find = test.store.findDeviceByKeyHash.bind(test.store)
    test.store.findDeviceByKeyHash = (...input) => {
      reads += 1
      return find(...input)
    }
    const statuses: number[] = []
    for (let index = 0; index < 200; index += 1) {
      statuses.push(
        (await test.send('POST', '/api/devices/heartbeat', { body: beat, headers: bad(index) })).status,
      )
    }
    expect(statuses.filter((status) => status === 401)).toHaveLength(60)
    expect(statuses.filter((status) => status === 429)).toHaveLength(140)
    expect(reads).toBeLessThanOrEqual(60)
    expect((await test.send('POST', '/api/devices/heartbeat', { body: beat, headers })).status).toBe(200)
    const elsewhere = await test.send('POST', '/api/devices/heartbeat', {
      body: beat,
      headers: bad(1),
      from: '192.0.2.9',
    })
    expect(elsewhere.status).toBe(401)
  })

  it('counts by X-Forwarded-For only behind a trusted proxy', async () => {
    await using test = await createTestCloud(kind, { trustedProxies: ['127.0.0.1'] })
    const send = (index: number, from: string) =>
      test.send('POST', '/api/devices/heartbeat', {
        body: beat,
        headers: { ...bad(index), 'x-forwarded-for': `9.9.9.9, ${from}` },
      })
    for (let index = 0; index < 60; index += 1) await send(index, '192.0.2.1')
    expect((await send(60, '192.0.2.1')).status).toBe(429)
    expect((await send(61, '192.0.2.2')).status).toBe(401)
  })
})
