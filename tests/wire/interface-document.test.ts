import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { faces, openCloud, type FacedCloud } from './cloud-faces.ts'
import { createRawClient, type RawClient, textOf } from './raw-client.ts'

// A client that knows only the interface document: exactly its bodies, exactly its shapes.

const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/)
const text = expect.any(String)
const metadata = { os: 'Linux', version: '6.1', hardware: 'x86_64' }
const results = {
  files: [{ path: '/home/ada/notes.txt', name: 'notes.txt', size: 12, modified: '2026-01-01T00:00:00Z' }],
  apps: [{ name: 'Firefox', path: '/usr/bin/firefox', running: true }],
  system: { cpu: '8 cores', memory: '16 GB', disk: '1 TB' },
}
const keyRefused = { error: 'Invalid or missing API key' }

describe.each(faces)('the interface document over $transport and $store', (face) => {
  let faced: FacedCloud
  let client: RawClient
  beforeAll(async () => {
    faced = await openCloud(face)
    client = createRawClient(faced)
  })
  afterAll(async () => {
    expect(faced.errors).toEqual([])
    await faced[Symbol.asyncDispose]()
  })

  it('POST /api/devices registers a device, offline, and gives its key', async () => {
    const body = { name: 'Laptop', type: 'laptop', platform: 'linux', metadata: { owner: 'ada' } }
    const answer = await client.post('/api/devices', body)
    expect([200, 201]).toContain(answer.status)
    expect(answer.json).toEqual({
      device: {
        id: text,
        name: 'Laptop',
        type: 'laptop',
        platform: 'linux',
        status: 'offline',
        createdAt: isoTime,
      },
      apiKey: expect.stringMatching(/^[a-z0-9]+_[\w-]{43}$/),
    })
  })

  it('GET /api/devices lists devices with every documented field', async () => {
    const { id } = await client.register('Desk')
    const { status, json } = await client.get('/api/devices')
    expect(status).toBe(200)
    const device = (json['devices'] as { id: string }[]).find((each) => each.id === id)
    expect(device).toMatchObject({
      id,
      name: 'Desk',
      type: 'laptop',
      platform: 'linux',
      status: 'offline',
      metadata: {},
      createdAt: isoTime,
    })
    expect(device).toHaveProperty('lastSeenAt')
  })

  it('POST /api/devices/heartbeat turns a device online and updates lastSeenAt and metadata', async () => {
    const device = await client.register('Beating')
    const answer = await client.post('/api/devices/heartbeat', { metadata }, device.headers)
    expect(answer.status).toBe(200)
    expect(answer.json).toMatchObject({ success: true, status: 'online' })
    const { json } = await client.get('/api/devices')
    const listed = (json['devices'] as { id: string }[]).find((each) => each.id === device.id)
    expect(listed).toMatchObject({ status: 'online', lastSeenAt: isoTime, metadata })
  })

  it('POST /api/devices/search/query creates one pending search for each device', async () => {
    const [a, b] = [await client.register('a'), await client.register('b')]
    const body = { query: 'notes', scope: ['files', 'apps', 'system'], deviceIds: [a.id, b.id] }
    const answer = await client.post('/api/devices/search/query', body)
    expect([200, 201]).toContain(answer.status)
    expect(answer.json).toEqual({
      success: true,
      searchQueries: [a.id, b.id].map((deviceId) => ({ id: text, deviceId, status: 'pending' })),
      message: text,
      groupId: text, // an addition
    })
  })

  it('GET /api/devices/search/pending gives a device its searches, and no other device', async () => {
    const [device, other] = [await client.register(), await client.register()]
    const body = { query: 'notes', scope: ['files', 'apps', 'system'], deviceIds: [device.id] }
    await client.post('/api/devices/search/query', body)
    const answer = await client.get('/api/devices/search/pending', device.headers)
    expect(answer.status).toBe(200)
    expect(answer.json).toEqual({
      requests: [
        {
          id: text,
          query: 'notes',
          scope: ['files', 'apps', 'system'],
          actor: 'owner',
          createdAt: isoTime,
        },
      ],
    })
    expect(answer.headers.get('preference-applied')).toBeNull()
    expect((await client.get('/api/devices/search/pending', other.headers)).json).toEqual({ requests: [] })
  })

  it('POST /api/devices/search with results completes a search', async () => {
    const device = await client.register()
    const [queryId] = await client.search([device.id])
    const report = { queryId: queryId!, query: 'notes', scope: ['files'], results, error: null }
    const answer = await client.post('/api/devices/search', report, device.headers)
    expect(answer.status).toBe(200)
    expect(answer.json).toEqual({ success: true, queryId, status: 'completed' })
    expect((await client.get('/api/devices/search/pending', device.headers)).json).toEqual({ requests: [] })
    expect((await client.get(`/api/devices/search/query?queryId=${queryId}`)).json).toEqual({
      results: [
        {
          id: queryId,
          device: { id: device.id, name: 'Laptop' },
          groupId: text, // an addition
          query: 'notes',
          scope: ['files'],
          results,
          status: 'completed',
          createdAt: isoTime,
          completedAt: isoTime,
        },
      ],
    })
  })

  it('POST /api/devices/search with an error fails a search and says so in its answer', async () => {
    const device = await client.register()
    const [queryId] = await client.search([device.id])
    const report = { queryId: queryId!, query: 'notes', scope: ['files'], results: {}, error: 'disk gone' }
    const answer = await client.post('/api/devices/search', report, device.headers)
    expect(answer.json).toEqual({ success: false, queryId, status: 'failed', error: 'disk gone' })
    const { json } = await client.get(`/api/devices/search/query?deviceId=${device.id}&status=failed`)
    expect(json['results']).toMatchObject([{ id: queryId, status: 'failed', error: 'disk gone' }])
  })

  it('GET /api/devices/search/query filters by each of its parameters, all of them optional', async () => {
    const device = await client.register()
    const [first, second] = [...(await client.search([device.id])), ...(await client.search([device.id]))]
    const report = { queryId: first!, query: 'notes', scope: ['files'], results, error: null }
    await client.post('/api/devices/search', report, device.headers)
    const idsOf = async (query: string) => {
      const { status, json } = await client.get(`/api/devices/search/query${query}`)
      expect(status).toBe(200)
      return (json['results'] as { id: string }[]).map((row) => row.id)
    }
    expect(await idsOf(`?queryId=${second}`)).toEqual([second])
    expect(new Set(await idsOf(`?deviceId=${device.id}`))).toEqual(new Set([first, second]))
    expect(await idsOf(`?deviceId=${device.id}&status=pending`)).toEqual([second])
    expect(await idsOf(`?deviceId=${device.id}&status=completed`)).toEqual([first])
    expect(await idsOf(`?deviceId=${device.id}&status=failed`)).toEqual([])
    expect(await idsOf('?queryId=nobody-has-this')).toEqual([])
    expect(await idsOf('')).toEqual(expect.arrayContaining([first, second]))
  })

  it('GET /api/devices/files/upload-requests/pending gives a device its upload requests', async () => {
    const device = await client.register()
    const [id] = await client.askForFile([device.id])
    const answer = await client.get('/api/devices/files/upload-requests/pending', device.headers)
    expect(answer.status).toBe(200)
    expect(answer.json).toEqual({
      requests: [
        { id, filePath: '/home/ada/notes.txt', destination: 'cloud', actor: 'owner', createdAt: isoTime },
      ],
    })
  })

  it('POST /api/devices/files/upload stores a file, and fileUrl gives the same bytes', async () => {
    const device = await client.register()
    const [requestId] = await client.askForFile([device.id])
    const content = Uint8Array.from({ length: 300_000 }, (_, index) => index % 256)
    const answer = await client.upload(device, requestId!, content)
    expect(answer.status).toBe(200)
    // Which links there are depends on the stores that took the file: none of them here.
    expect(answer.json).toEqual({ success: true, fileName: 'notes.txt', fileUrl: text })
    const response = await faced.fetch(textOf(answer.json, 'fileUrl'))
    expect(Buffer.from(await response.arrayBuffer()).equals(Buffer.from(content))).toBe(true)
    const left = await client.get('/api/devices/files/upload-requests/pending', device.headers)
    expect(left.json).toEqual({ requests: [] })
  })

  const deviceEndpoints = [
    ['POST', '/api/devices/heartbeat'],
    ['GET', '/api/devices/search/pending'],
    ['POST', '/api/devices/search'],
    ['GET', '/api/devices/files/upload-requests/pending'],
    ['POST', '/api/devices/files/upload'],
  ] as const
  it.each(deviceEndpoints)('%s %s answers 401 to a missing or invalid key', async (method, path) => {
    for (const headers of [undefined, { Authorization: `Bearer hw_${'a'.repeat(43)}` }]) {
      const answer = await client.send(path, { method, ...(headers && { headers }) })
      expect([answer.status, answer.json]).toEqual([401, keyRefused])
    }
  })

  it.each([
    ['/api/devices', { type: 'laptop', platform: 'linux', metadata: {} }, 'name'],
    ['/api/devices', { name: 'x', platform: 'linux', metadata: {} }, 'type'],
    ['/api/devices/search/query', { query: 'x', scope: ['files'] }, 'deviceIds'],
    ['/api/devices/search/query', { query: 'x', scope: 'files', deviceIds: ['x'] }, 'scope'],
  ])('POST %s answers 400 to %j and names the field', async (path, body, field) => {
    const answer = await client.post(path, body)
    expect(answer.status).toBe(400)
    expect(answer.json).toEqual({ error: 'Validation error', message: expect.stringContaining(field) })
  })

  it('answers 404 for a device that does not exist', async () => {
    const body = { query: 'x', scope: ['files'], deviceIds: ['nobody'] }
    const answer = await client.post('/api/devices/search/query', body)
    expect([answer.status, answer.json]).toEqual([404, { error: 'Device not found' }])
  })

  it('ignores fields that the document does not know', async () => {
    const device = await client.register()
    const beat = { metadata, extra: { nested: true } }
    expect((await client.post('/api/devices/heartbeat', beat, device.headers)).status).toBe(200)
    const [queryId] = await client.search([device.id])
    const report = { queryId: queryId!, query: 'notes', scope: ['files'], results, error: null, took: 3 }
    expect((await client.post('/api/devices/search', report, device.headers)).status).toBe(200)
  })
})
