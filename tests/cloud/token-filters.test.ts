import { deviceCloudEvents, deviceCloudOperations } from '@homeward/contract/device-cloud'
import { readEvents } from '@homeward/contract/events'
import type { Operation } from '@homeward/contract'
import { describe, expect, it } from 'vitest'
import { createTestCloud, storeKinds, type Answer, type StoreKind, type TestCloud } from './test-cloud.ts'

/** Stands in everything of the device that the filter leaves out, and in nothing else. */
const marker = 'MARKER'
const may = ['read', 'search', 'fetch', 'manage', 'audit']

interface Thing {
  readonly device: string
  readonly search: string
  readonly group: string
  readonly saved: string
  readonly upload: string
  readonly file: string
  readonly token: string
  readonly webhook: string
}

async function start(kind: StoreKind) {
  const delivered: string[] = []
  const test = await createTestCloud(kind, {
    keySecret: 'k'.repeat(32),
    webhooks: {
      check: async () => undefined,
      async send({ body }) {
        delivered.push(body)
        return { status: 204 }
      },
    },
  })
  const mine = await createThings(test, 'mine', 'site:berlin')
  const other = await createThings(test, marker, 'site:rome')
  const both = await test.send('POST', '/api/devices/search/query', {
    body: { query: 'shared', scope: ['files'], deviceIds: [mine.device, other.device] },
  })
  const token = await made(
    test.send('POST', '/api/tokens', { body: { name: 'limited', may, filter: { labels: ['site:berlin'] } } }),
  )
  const headers = { authorization: `Bearer ${String(token['secret'])}` }
  const as = (method: string, path: string, body?: object) =>
    test.send(method, path, { headers, ...(body && { body }) })
  return { test, delivered, mine, other, shared: String(both.body['groupId']), headers, as }
}

async function made(answer: Promise<Answer>): Promise<Answer['body']> {
  const { status, body, text } = await answer
  expect(status, text).toBeLessThan(300)
  return body
}
const idIn = (body: Answer['body'], field: string) => (body[field] as { readonly id: string }).id

/** A device with everything that an owner can have of it. */
async function createThings(test: TestCloud, name: string, label: string): Promise<Thing> {
  const post = (path: string, body: object, headers = {}) => made(test.send('POST', path, { body, headers }))
  const device = await test.register(name)
  await made(test.send('PATCH', `/api/devices/${device.id}`, { body: { labels: [label, 'all'] } }))
  const asked = { query: name, scope: ['files'], deviceIds: [device.id] }
  const first = await post('/api/devices/search/query', asked)
  const search = first.searchQueries![0]!.id
  const file = { path: `/${name}`, name, size: 1, modified: '2026-01-01T00:00:00.000Z' }
  await post('/api/devices/search', { queryId: search, results: { files: [file] } }, device.headers)
  const uploads = await post('/api/devices/files/upload-requests', {
    deviceIds: [device.id],
    filePath: `/${name}`,
  })
  const upload = uploads.uploadRequests![0]!.id
  const form = new FormData()
  form.append('requestId', upload)
  form.append('file', new Blob([name]), name)
  const sent = await post('/api/devices/files/upload', form, device.headers)
  const saved = { name, query: name, scope: ['files'], filter: { labels: [label] } }
  const filter = { ids: [device.id], labels: [label] }
  const token = await post('/api/tokens', { name: `${name}-token`, may: ['manage'], filter })
  const webhook = await test.send('POST', '/api/webhooks', {
    body: { url: `https://${name.toLowerCase()}.example/`, events: ['search.settled', 'device.deleted'] },
    headers: { authorization: `Bearer ${String(token['secret'])}` },
  })
  return {
    device: device.id,
    search,
    group: String(first['groupId']),
    saved: idIn(await post('/api/devices/saved-searches', saved), 'savedSearch'),
    upload,
    file: new URL(sent.fileUrl!).pathname,
    token: idIn(token, 'token'),
    webhook: idIn(webhook.body, 'webhook'),
  }
}

/** Operations that name something, by the kind of thing. */
const thingOf = (path: string): keyof Thing | undefined => {
  if (path.includes('/search/query/')) return 'search'
  if (path.includes('/search/groups/')) return 'group'
  if (path.includes('/saved-searches/')) return 'saved'
  if (path.includes('/upload-requests/')) return 'upload'
  if (path.includes('/files/{id}')) return 'file'
  if (path.startsWith('/api/tokens/')) return 'token'
  if (path.startsWith('/api/webhooks/')) return 'webhook'
  return path.startsWith('/api/devices/{id}') ? 'device' : undefined
}
const pathOf = (path: string, things: Thing) => {
  const thing = thingOf(path)
  if (thing === 'file') return things.file
  return path.replace('{id}', thing === undefined ? 'nothing' : things[thing])
}

/** Bodies of the operations that need one. A new operation needs an entry. */
const bodies: Readonly<Record<string, (things: Thing) => object>> = {
  updateDevice: () => ({ name: 'changed' }),
  updateDevices: ({ device }) => ({ deviceIds: [device], labels: { add: ['changed'] } }),
  deleteDevices: ({ device }) => ({ deviceIds: [device] }),
  registerDevice: () => ({ name: 'new', type: 'server', platform: 'linux', metadata: {} }),
  createSearches: ({ device }) => ({ query: 'x', scope: ['files'], deviceIds: [device] }),
  createUploads: ({ device }) => ({ filePath: '/x', deviceIds: [device] }),
  createSavedSearch: () => ({ name: 'new', query: 'x', scope: ['files'], filter: {} }),
  updateSavedSearch: () => ({ name: 'changed', query: 'x', scope: ['files'], filter: {} }),
  createToken: () => ({ name: 'new', may: ['read'] }),
  approveEnrollment: () => ({}),
  createEnrollmentToken: () => ({ label: 'new', approval: 'auto' }),
  createWebhook: () => ({ url: 'https://new.example/', events: ['search.settled'] }),
  updateWebhook: () => ({ url: 'https://changed.example/' }),
  callDeviceTools: ({ device }) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'search_devices', arguments: { query: 'x', deviceIds: [device] } },
  }),
}
const table: Readonly<Record<string, Operation>> = deviceCloudOperations
const operations = Object.entries(table).filter(([, { auth }]) => auth === 'session')

const forbidden = [
  'registerDevice',
  'findEnrollment',
  'approveEnrollment',
  'denyEnrollment',
  'createEnrollmentToken',
  'revokeEnrollmentToken',
  'eraseOwner',
]

describe.each(storeKinds)('C30: an API token with a filter, over %s', (kind) => {
  it('reaches in no operation what its filter leaves out, and changes nothing of it', async () => {
    const { test, other, shared, as } = await start(kind)
    await using _ = test
    const whole = async () => {
      const { text } = await test.send('GET', '/api/export')
      return text
        .split('\n')
        .filter((line) => line.includes(marker) || line.includes(other.device))
        .filter((line) => !line.startsWith('{"type":"audit"'))
    }
    const before = await whole()
    expect(before.length).toBeGreaterThan(6)
    for (const [id, { method, path, body }] of operations) {
      if (id === 'readMetrics' || id === 'streamDeviceEvents') continue
      const given = bodies[id]
      expect([id, given !== undefined]).toEqual([id, body !== undefined])
      const query = id === 'findEnrollment' ? '?code=BCDF-GHJK' : ''
      const answer = await as(method, pathOf(path, other) + query, given?.(other))
      const expected = forbidden.includes(id) ? 403 : thingOf(path) === undefined ? answer.status : 404
      expect([id, answer.status]).toEqual([id, expected])
      for (const hidden of [marker, other.device, other.search, other.upload])
        expect([id, answer.text.includes(hidden) && !answer.text.includes('not found')]).toEqual([id, false])
    }
    const group = await as('GET', `/api/devices/search/groups/${shared}`)
    expect(group.body['group']).toMatchObject({ total: 1, counts: { pending: 1 } })
    expect(await whole()).toEqual(before)
  })

  it('does everything with what it reaches, in every operation', async () => {
    const { test, mine, as } = await start(kind)
    await using _ = test
    for (const [id, { method, path }] of operations) {
      if (forbidden.includes(id) || method === 'DELETE' || id === 'readMetrics') continue
      const answer = await as(method, pathOf(path, mine), bodies[id]?.(mine))
      expect([id, answer.status < 300, answer.text]).toEqual([id, true, expect.any(String)])
    }
    const names = async (path: string, field: string) =>
      ((await as('GET', path)).body[field] as readonly unknown[]).length
    expect(await names('/api/devices', 'devices')).toBe(1)
    expect(await names('/api/devices?count=true', 'devices')).toBe(1)
    expect((await as('GET', '/api/devices?count=true')).body['total']).toBe(1)
    expect(await names('/api/devices/search/groups', 'groups')).toBeGreaterThan(2)
    expect(await names('/api/webhooks', 'webhooks')).toBe(2)
    expect(await names('/api/audit', 'entries')).toBeGreaterThan(2)
    const { quotas } = (await as('GET', '/api/quotas')).body as unknown as { quotas: object[] }
    expect(quotas).toMatchObject([
      { name: 'devices', used: 1 },
      { name: 'pendingPerDevice' },
      { name: 'searchesPerDay' },
      { name: 'storedBytes', used: 4 },
    ])
  })

  it('counts at the time of each request, and is inherited by what it creates', async () => {
    const { test, mine, other, as } = await start(kind)
    await using _ = test
    const child = await made(as('POST', '/api/tokens', { name: 'child', may, filter: { type: 'laptop' } }))
    expect(child['token']).toMatchObject({ filter: { labels: ['site:berlin'], type: 'laptop' } })
    const headers = { authorization: `Bearer ${String(child['secret'])}` }
    const seen = async () =>
      (await test.send('GET', '/api/devices', { headers })).body.devices!.map(({ id }) => id)
    expect(await seen()).toEqual([mine.device])
    const saved = await made(
      as('POST', '/api/devices/saved-searches', {
        name: 's',
        query: 'x',
        scope: ['files'],
        filter: { labels: ['all'] },
      }),
    )
    expect(saved['savedSearch']).toMatchObject({ filter: { labels: ['all', 'site:berlin'] } })
    const webhook = await made(
      as('POST', '/api/webhooks', { url: 'https://b.example/', events: ['search.settled'] }),
    )
    expect(webhook['webhook']).toMatchObject({ filter: { labels: ['site:berlin'] } })
    await test.send('PATCH', `/api/devices/${other.device}`, { body: { labels: ['site:berlin'] } })
    expect((await seen()).toSorted()).toEqual([mine.device, other.device].toSorted())
    await test.send('PATCH', `/api/devices/${mine.device}`, { body: { labels: [] } })
    expect(await seen()).toEqual([other.device])
    expect((await as('GET', `/api/devices/${mine.device}`)).status).toBe(404)
    const bad = await test.send('POST', '/api/tokens', { body: { name: 'n', may, filter: {} } })
    expect([bad.status, bad.body.message]).toEqual([400, 'filter: must have a condition'])
  })

  it('deletes only its part of a group', async () => {
    const { test, mine, other, shared, as } = await start(kind)
    await using _ = test
    const path = `/api/devices/search/groups/${shared}`
    expect((await as('DELETE', path)).body).toEqual({ success: true })
    expect((await as('GET', path)).status).toBe(404)
    expect((await as('DELETE', path)).status).toBe(404)
    const group = (await test.send('GET', path)).body['group']
    expect(group).toMatchObject({ total: 1, counts: { pending: 1 } })
    const rows = (await test.send('GET', `/api/devices/search/query?groupId=${shared}`)).body.results!
    expect(rows).toMatchObject([{ device: { id: other.device }, status: 'pending' }])
    const own = await made(
      as('POST', '/api/devices/search/query', { query: 'own', scope: ['files'], filter: {} }),
    )
    expect(own.searchQueries).toMatchObject([{ deviceId: mine.device }])
    const ownPath = `/api/devices/search/groups/${String(own['groupId'])}`
    expect((await as('DELETE', ownPath)).status).toBe(200)
    expect((await test.send('GET', ownPath)).status).toBe(404)
  })

  it('gets events of devices that it reaches only, in streams and by webhooks', async () => {
    const { test, delivered, mine, other, headers } = await start(kind)
    await using _ = test
    const request = new Request('http://127.0.0.1:3000/api/devices/events', { headers })
    const answer = await test.cloud.fetch(request, { remoteAddress: '127.0.0.1' })
    const events = readEvents(answer.body!, deviceCloudEvents)
    const list = await test.send('GET', '/api/webhooks')
    expect((list.body['webhooks'] as object[]).length).toBe(2)
    await test.cloud.deleteDevice({ userId: 'local' }, other.device)
    await test.cloud.deleteDevice({ userId: 'local' }, mine.device)
    const told: unknown[] = []
    while (told.length < 2) told.push((await events.next()).value)
    expect(told).toMatchObject([
      { event: 'search.settled', data: { deviceId: mine.device, outcome: 'removed' } },
      { event: 'device.deleted', data: { deviceId: mine.device } },
    ])
    await events.return(undefined)
    await expect
      .poll(() => delivered.filter((body) => body.includes('device.deleted')).length, { timeout: 8000 })
      .toBe(2)
  })
})
