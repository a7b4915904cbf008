import { describe, expect, it } from 'vitest'
import { createTestCloud, storeKinds } from './test-cloud.ts'

const registration = { name: 'kiosk', type: 'iot', platform: 'linux', metadata: { os: 'Debian 13' } }
const beat = { metadata: { os: 'Alpine', version: '3', hardware: 'arm' } }

type TestCloud = Awaited<ReturnType<typeof createTestCloud>>

async function add(test: TestCloud, changes: object = {}) {
  const answer = await test.send('POST', '/api/devices', { body: { ...registration, ...changes } })
  expect(answer.status).toBe(201)
  const { device, apiKey } = answer.body as unknown as { device: { id: string }; apiKey: string }
  return { id: device.id, headers: { authorization: `Bearer ${apiKey}` }, device }
}

async function namesOf(test: TestCloud, query: string) {
  const { status, body } = await test.send('GET', `/api/devices?${query}`)
  expect(status, query).toBe(200)
  return body.devices!.map(({ name }) => name)
}

describe.each(storeKinds)('finding devices, on %s', (kind) => {
  it('C29: gives and changes one device, and records each change once', async () => {
    await using test = await createTestCloud(kind)
    const { id, device } = await add(test, { labels: ['prod', 'prod', 'site:berlin'] })
    expect(device).toMatchObject({ labels: ['prod', 'site:berlin'] })
    expect((await add(test)).device).not.toHaveProperty('labels')
    const path = `/api/devices/${id}`
    const read = await test.send('GET', path)
    expect(read.body).toMatchObject({ device: { ...device, lastSeenAt: null, keyHint: expect.any(String) } })
    const body = { name: ' till ', type: 'server', labels: ['b', 'a'] }
    for (let turn = 0; turn < 2; turn += 1) {
      const changed = await test.send('PATCH', path, { body })
      expect([changed.status, changed.body]).toMatchObject([
        200,
        { device: { id, name: 'till', type: 'server', platform: 'linux', labels: ['b', 'a'] } },
      ])
    }
    expect((await test.send('PATCH', path, { body: {} })).status).toBe(200)
    const { entries } = (await test.send('GET', '/api/audit?action=device:updated')).body as {
      entries?: unknown
    }
    expect(entries).toMatchObject([{ deviceId: id, name: 'till', outcome: 'done' }])
    const gone = await test.send('PATCH', '/api/devices/nobody', { body })
    expect([gone.status, gone.body]).toEqual([404, { error: 'Device not found' }])
  })

  it('C29: takes labels of the documented form only, and no field that it does not know', async () => {
    await using test = await createTestCloud(kind)
    const { id } = await add(test)
    const send = (body: object) => test.send('PATCH', `/api/devices/${id}`, { body })
    const most = Array.from({ length: 32 }, (_, index) => `${index}`.padStart(64, 'a-_./:'))
    expect((await send({ labels: most })).body).toMatchObject({ device: { labels: most } })
    const refused = [['A'], ['ä'], [''], ['a b'], ['x'.repeat(65)], [...most, 'one-more'], 'a', [7]]
    for (const labels of refused) expect((await send({ labels })).status, JSON.stringify(labels)).toBe(400)
    const unknown = await send({ label: ['a'] })
    expect([unknown.status, unknown.body.message]).toEqual([400, expect.stringContaining('label')])
    expect((await test.send('GET', `/api/devices/${id}`)).body).toMatchObject({ device: { labels: most } })
  })

  it('C29: lists what a filter matches, and counts it on request', async () => {
    await using test = await createTestCloud(kind)
    const first = await add(test, { name: 'one', labels: ['prod', 'berlin'] })
    test.advance(1000)
    await add(test, { name: 'two 100%', labels: ['prod'], platform: 'macos', type: 'laptop' })
    await test.send('POST', '/api/devices/heartbeat', { body: beat, headers: first.headers })
    expect(await namesOf(test, 'label=prod')).toEqual(['two 100%', 'one'])
    expect(await namesOf(test, 'label=prod&label=berlin')).toEqual(['one'])
    expect(await namesOf(test, 'type=laptop&platform=macos')).toEqual(['two 100%'])
    expect(await namesOf(test, 'status=online')).toEqual(['one'])
    expect(await namesOf(test, 'status=offline')).toEqual(['two 100%'])
    // what a heartbeat brought is found although it is not written yet
    expect(await namesOf(test, 'text=ALPINE')).toEqual(['one'])
    expect(await namesOf(test, 'text=0%25')).toEqual(['two 100%'])
    const counted = await test.send('GET', '/api/devices?label=prod&count=true&limit=1')
    expect(counted.body).toMatchObject({ total: 2, devices: [{ name: 'two 100%' }] })
    expect((await test.send('GET', '/api/devices?count=false')).body).not.toHaveProperty('total')
  })

  it('C29: rejects a filter that it does not understand', async () => {
    await using test = await createTestCloud(kind)
    const wrong = [
      'labels=a',
      'label=A',
      'status=asleep',
      'text=',
      'count=yes',
      'deviceId=x',
      'type=a&type=b',
    ]
    for (const query of wrong) {
      const { status, body } = await test.send('GET', `/api/devices?${query}`)
      expect([status, body.error], query).toEqual([400, 'Validation error'])
      expect(body.message).toContain(query.split('=')[0])
    }
  })

  it('C29: continues a cursor with its own filter only', async () => {
    await using test = await createTestCloud(kind)
    for (const name of ['a', 'b', 'c']) await add(test, { name, labels: ['x', 'y'] })
    const page = (query: string) => test.send('GET', `/api/devices?limit=2&${query}`)
    const { nextCursor } = (await page('label=x&label=y')).body
    const cursor = `cursor=${encodeURIComponent(nextCursor!)}`
    expect((await page(`label=y&label=x&${cursor}`)).body.devices).toHaveLength(1)
    for (const query of ['', 'label=x', 'label=x&label=y&text=k']) {
      const { status, body } = await page(`${query}&${cursor}`)
      expect([status, body.message], query).toEqual([400, expect.stringContaining('another filter')])
    }
    const plain = (await page('')).body.nextCursor
    expect((await page(`label=x&cursor=${encodeURIComponent(plain!)}`)).status).toBe(400)
  })
})
