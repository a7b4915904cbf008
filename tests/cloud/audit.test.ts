import type { AuditEntry } from '@homeward/contract/device-cloud'
import type { CloudStore } from '@homeward/cloud-core'
import { createMemoryBlobs } from '@homeward/cloud-core/blobs/memory'
import { createMemoryStore } from '@homeward/cloud-core/memory'
import { describe, expect, it } from 'vitest'
import { createTestCloud, storeKinds, type TestCloud } from './test-cloud.ts'

const keySecret = 'a secret of the host'
const sessions = {
  resolve: (request: { header(name: string): string | undefined }) => ({
    userId: request.header('x-user') ?? 'local',
  }),
}
const eve = { 'x-user': 'eve' }

async function auditOf(test: TestCloud, query = '', headers = {}): Promise<readonly AuditEntry[]> {
  const answer = await test.send('GET', `/api/audit${query}`, { headers })
  expect(answer.status).toBe(200)
  return answer.body['entries'] as readonly AuditEntry[]
}

const told = (entries: readonly AuditEntry[]) =>
  entries.map(({ action, outcome, deviceId }) => `${action} ${outcome} ${deviceId}`)

async function sendFile(
  test: TestCloud,
  requestId: string,
  headers: Record<string, string>,
): Promise<string> {
  const body = new FormData()
  body.set('requestId', requestId)
  body.set('file', new File(['the words in the file'], 'notes.txt'))
  const answer = await test.send('POST', '/api/devices/files/upload', { body, headers })
  return new URL(String(answer.body.fileUrl)).pathname
}

describe.each(storeKinds)('the audit over %s', (kind) => {
  it('C24: records what a user does, who and from where, newest first', async () => {
    await using test = await createTestCloud(kind, { keySecret, sessions })
    const { id, headers } = await test.register('laptop of Ann')
    const deviceIds = [id]
    const search = { query: 'the words that I look for', scope: ['files'], deviceIds }
    const step = async (path: string, body: object = {}, method = 'POST') => {
      test.advance(1000)
      return test.send(method, path, { body, from: '198.51.100.7' })
    }
    await step('/api/devices/search/query', search)
    const asked = await step('/api/devices/files/upload-requests', {
      deviceIds,
      filePath: '/home/ann/notes.txt',
    })
    const fileUrl = await sendFile(test, asked.body.uploadRequests![0]!.id, headers)
    test.advance(1000)
    await test.send('GET', fileUrl)
    const other = await step('/api/devices/files/upload-requests', { deviceIds, filePath: '/x' })
    test.advance(1000)
    await test.send('DELETE', `/api/devices/files/upload-requests/${other.body.uploadRequests![0]!.id}`)
    test.advance(1000)
    await test.send('GET', `/api/devices/${id}/key`)
    const rotated = await step(`/api/devices/${id}/rotate-key`)
    test.advance(1000)
    await test.send('DELETE', `/api/devices/${id}`)

    const entries = await auditOf(test)
    expect(told(entries)).toEqual([
      `device:deleted done ${id}`,
      `key:rotated done ${id}`,
      `key:revealed done ${id}`,
      `upload:canceled done ${id}`,
      `upload:created done ${id}`,
      'file:downloaded done null',
      `upload:created done ${id}`,
      `search:created done ${id}`,
      `device:registered done ${id}`,
    ])
    expect(new Set(entries.map(({ userId }) => userId))).toEqual(new Set(['local']))
    expect(entries.find(({ action }) => action === 'search:created')?.address).toBe('198.51.100.7')
    expect(entries.at(-1)).toMatchObject({ name: 'laptop of Ann', address: '127.0.0.1', reason: null })
    expect(entries[5]).toMatchObject({ name: 'notes.txt', subjectId: fileUrl.split('/')[4] })
    const text = JSON.stringify(entries)
    for (const hidden of [
      'the words',
      headers.authorization!.slice(7),
      String(rotated.body.apiKey),
      keySecret,
    ])
      expect(text).not.toContain(hidden)
    expect(test.errors).toEqual([])
  })

  it('C24: records what was refused, for whoever tried it and nobody else', async () => {
    await using test = await createTestCloud(kind, { sessions })
    const { id } = await test.register()
    const [search] = [{ query: 'q', scope: ['files'], deviceIds: [id] }]
    await test.send('GET', `/api/devices/${id}/key`, { headers: eve })
    await test.send('POST', `/api/devices/${id}/rotate-key`, { headers: eve })
    await test.send('DELETE', `/api/devices/${id}`, { headers: eve })
    await test.send('POST', '/api/devices/search/query', { body: search, headers: eve })
    await test.send('GET', '/api/devices/files/nothing/x.txt', { headers: eve })
    await test.send('DELETE', '/api/devices/files/upload-requests/nothing', { headers: eve })
    test.advance(1000)
    await test.send('GET', `/api/devices/${id}/key`)
    const tried = await auditOf(test, '', eve)
    expect(told(tried).toSorted()).toEqual([
      `device:deleted refused ${id}`,
      'file:downloaded refused null',
      `key:revealed refused ${id}`,
      `key:rotated refused ${id}`,
      `search:created refused ${id}`,
      'upload:canceled refused null',
    ])
    expect(tried.find(({ action }) => action === 'key:revealed')?.reason).toBe('Device not found')
    expect(told(await auditOf(test))).toEqual([`key:revealed refused ${id}`, `device:registered done ${id}`])
  })

  it('C24: a repeat creates no second entry, and one that gives the API key again says so', async () => {
    await using test = await createTestCloud(kind)
    const headers = { 'idempotency-key': 'once' }
    const body = { name: 'd', type: 'server', platform: 'linux', metadata: {} }
    const first = await test.send('POST', '/api/devices', { body, headers })
    expect((await test.send('POST', '/api/devices', { body, headers })).body).toEqual(first.body)
    const search = { query: 'q', scope: ['files'], deviceIds: [(first.body['device'] as { id: string }).id] }
    for (let round = 0; round < 2; round += 1)
      await test.send('POST', '/api/devices/search/query', { body: search, headers })
    expect((await auditOf(test)).map(({ action }) => action).toSorted()).toEqual([
      'device:registered',
      'key:revealed',
      'search:created',
    ])
  })

  it('C11, C24: filters by action, device and time, and pages', async () => {
    await using test = await createTestCloud(kind)
    const devices = []
    for (let index = 0; index < 5; index += 1) {
      devices.push(await test.register(`d${index}`))
      test.advance(60_000)
    }
    const { id } = devices[1]!
    await test.send('POST', `/api/devices/${id}/rotate-key`)
    expect(told(await auditOf(test, `?deviceId=${id}&action=device:registered`))).toHaveLength(1)
    expect(told(await auditOf(test, '?action=key:rotated'))).toEqual([`key:rotated done ${id}`])
    const names = async (query: string) => (await auditOf(test, query)).map(({ name }) => name)
    expect(await names('?from=2026-01-01T00:01:00Z&to=2026-01-01T00:03:00Z')).toEqual(['d2', 'd1'])
    expect(await names('?to=2026-01-01T01:01:00%2B01:00')).toEqual(['d0'])
    // Moments whose year in UTC has five digits, or none.
    expect(await names('?to=9999-12-31T23:59:59-14:00&limit=1&action=device:registered')).toEqual(['d4'])
    expect(await names('?from=0000-01-01T00:00:00%2B14:00&limit=1&action=device:registered')).toEqual(['d4'])
    const seen: string[] = []
    let cursor: string | undefined = ''
    while (cursor !== undefined) {
      const answer = await test.send('GET', `/api/audit?limit=2${cursor && `&cursor=${cursor}`}`)
      seen.push(...(answer.body['entries'] as AuditEntry[]).map((entry) => entry.id))
      cursor = answer.body.nextCursor
    }
    expect(seen).toEqual((await auditOf(test)).map((entry) => entry.id))
  })

  it.each(['action=nothing', 'from=yesterday', 'to=2026-01-01T00:00:00', 'limit=0', 'limit=501', 'cursor=x'])(
    'C24: refuses %s, and names the field',
    async (query) => {
      await using test = await createTestCloud(kind)
      const answer = await test.send('GET', `/api/audit?${query}`)
      expect(answer.status).toBe(400)
      expect(answer.body.message).toContain(query.split('=')[0])
    },
  )

  it('C24: keeps entries for as long as the host says', async () => {
    await using test = await createTestCloud(kind, { auditRetentionDays: 1 })
    await test.register()
    test.advance(24 * 60 * 60 * 1000 - 1)
    expect(await auditOf(test)).toHaveLength(1)
    test.advance(1)
    expect(await auditOf(test)).toHaveLength(0)
  })
})

it('C24: tells the host of each entry once it is written', async () => {
  await using test = await createTestCloud('memory')
  const heard: AuditEntry[] = []
  test.cloud.events.on('audit:recorded', (entry) => void heard.push(entry))
  const { id } = await test.register()
  await test.send('DELETE', '/api/devices/nothing')
  await test.send('DELETE', `/api/devices/${id}`)
  const ids = (entries: readonly AuditEntry[]) => entries.map((entry) => entry.id).toSorted()
  expect(ids(heard)).toEqual(ids(await auditOf(test)))
  expect(told(heard)).toEqual([
    `device:registered done ${id}`,
    'device:deleted refused nothing',
    `device:deleted done ${id}`,
  ])
})

it('C24: does nothing that it cannot record', async () => {
  const store = createMemoryStore()
  const failing: CloudStore = {
    ...store,
    appendAudit: async () => {
      throw new Error('The disk is full')
    },
  }
  const blobs = createMemoryBlobs()
  await using test = await createTestCloud('memory', { store: failing, blobs, keySecret })
  const { id, headers } = await test.register()
  const body = { deviceIds: [id], filePath: '/x' }
  const asked = await test.send('POST', '/api/devices/files/upload-requests', { body })
  const fileUrl = await sendFile(test, asked.body.uploadRequests![0]!.id, headers)
  for (const path of [`/api/devices/${id}/key`, fileUrl]) {
    const answer = await test.send('GET', path)
    expect([answer.status, answer.body]).toEqual([500, { error: 'Failed to process request' }])
  }
})

it('C24: refuses a retention that cannot be one', async () => {
  for (const auditRetentionDays of [0, -1, Number.NaN, 1e9])
    await expect(createTestCloud('memory', { auditRetentionDays })).rejects.toThrow(/auditRetentionDays/)
})
