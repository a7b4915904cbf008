import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { faces, openCloud, type Face, type FacedCloud } from './cloud-faces.ts'
import { createRawClient, type RawAnswer, type RawClient, type RawDevice, textOf } from './raw-client.ts'

interface Row {
  readonly id: string
  readonly [field: string]: unknown
}

const hour = 3_600_000
const start = Date.parse('2026-01-01T00:00:00.000Z')
const devicesPath = '/api/devices'
const searchesPath = '/api/devices/search/query'
const uploadsPath = '/api/devices/files/upload-requests'

describe.each(faces)('the decisions over $transport and $store', (face: Face) => {
  let nowMs = start
  let faced: FacedCloud
  let client: RawClient
  let device: RawDevice

  async function open(options: Parameters<typeof openCloud>[1] = {}): Promise<void> {
    nowMs = start
    faced = await openCloud(face, { now: () => nowMs, ...options })
    client = createRawClient(faced)
    device = await client.register()
  }
  beforeEach(() => open())
  afterEach(async () => {
    expect(faced.errors).toEqual([])
    await faced[Symbol.asyncDispose]()
  })

  const rows = (answer: RawAnswer, key: string) => answer.json[key] as unknown as Row[]
  const list = async (path: string, key = 'results') => rows(await client.get(path), key)
  const beat = (headers: Record<string, string>) =>
    client.post('/api/devices/heartbeat', { metadata: { os: 'Linux' } }, headers)
  const report = (queryId: string, more: object) =>
    client.post('/api/devices/search', { queryId, ...more }, device.headers)

  it('C1: types and platforms are any text of 1 to 64 characters', async () => {
    const body = { name: 'x', type: ' fridge ', platform: '冷蔵庫', metadata: {} }
    expect((await client.post(devicesPath, body)).json).toMatchObject({
      device: { type: 'fridge', platform: '冷蔵庫' },
    })
    expect((await client.post(devicesPath, { ...body, platform: 'x'.repeat(65) })).status).toBe(400)
  })

  it('C2: a device is online for 150 s after its heartbeat, and other calls do not count', async () => {
    const status = async () => (await list(devicesPath, 'devices'))[0]?.['status']
    expect(await status()).toBe('offline')
    await beat(device.headers)
    nowMs += 150_000
    await client.get('/api/devices/search/pending', device.headers)
    expect(await status()).toBe('online')
    nowMs += 1
    expect(await status()).toBe('offline')
  })

  it('C3: a heartbeat is there at once in lists, and after a restart where storage lasts', async () => {
    await beat(device.headers)
    const seen = { lastSeenAt: '2026-01-01T00:00:00.000Z', metadata: { os: 'Linux' } }
    expect(await list(devicesPath, 'devices')).toMatchObject([seen])
    if (face.store === 'memory') return
    await faced.reopen()
    expect(await list(devicesPath, 'devices')).toMatchObject([seen])
  })

  it('C4, C5, C6: upload requests are asked for, canceled, failed by the device, and expire', async () => {
    const [canceled, failed, expired] = [
      ...(await client.askForFile([device.id])),
      ...(await client.askForFile([device.id])),
      ...(await client.askForFile([device.id])),
    ]
    const cancel = await client.send(`${uploadsPath}/${canceled}`, { method: 'DELETE' })
    expect(cancel.json).toEqual({ success: true, id: canceled, status: 'canceled' })
    const form = new FormData()
    form.append('requestId', failed!)
    form.append('error', 'no such file')
    const init = { method: 'POST', headers: device.headers, body: form }
    const told = await client.send('/api/devices/files/upload', init)
    expect([told.status, told.json]).toEqual([200, { success: false, error: 'no such file' }])
    nowMs += 24 * hour
    const byStatus = async (status: string) => list(`${uploadsPath}?status=${status}`)
    expect(await byStatus('canceled')).toMatchObject([{ id: canceled }])
    const failures = new Map((await byStatus('failed')).map((row) => [row.id, row['error']]))
    expect(failures).toEqual(
      new Map([
        [failed, 'no such file'],
        [expired, 'expired'],
      ]),
    )
    expect(await byStatus('pending')).toEqual([])
  })

  it('C7, C8, C9: the first report counts, and every later one gets its outcome with 200', async () => {
    const [queryId] = await client.search([device.id])
    const first = await report(queryId!, { results: { mine: 1 }, error: ' broken ' })
    const failed = { success: false, queryId, status: 'failed', error: 'broken' }
    expect([first.status, first.json]).toEqual([200, failed])
    const second = await report(queryId!, { results: { mine: 2 }, error: null })
    expect([second.status, second.json]).toEqual([200, failed])
    expect(await list(`${searchesPath}?queryId=${queryId}`)).toMatchObject([{ results: { mine: 1 } }])
    expect((await report('unknown', { results: {} })).json).toEqual({ error: 'Search query not found' })
  })

  it('C10: a search that nobody answers fails when its time is over', async () => {
    const body = { query: 'a', scope: ['files'], deviceIds: [device.id], ttlSeconds: 60 }
    await client.post(searchesPath, body)
    nowMs += 60_000
    expect((await client.get('/api/devices/search/pending', device.headers)).json).toEqual({ requests: [] })
    expect(await list(searchesPath)).toMatchObject([
      { status: 'failed', error: 'expired: the device did not report in time' },
    ])
  })

  it('C11: a device gets 20 at a time, oldest first; dashboards page from the newest', async () => {
    const ids: string[] = []
    for (let index = 0; index < 25; index += 1) {
      ids.push(...(await client.search([device.id])))
      nowMs += 1
    }
    const pending = await client.get('/api/devices/search/pending', device.headers)
    expect(rows(pending, 'requests').map((row) => row.id)).toEqual(ids.slice(0, 20))
    const paged: string[] = []
    let cursor: unknown = ''
    do {
      const page = await client.get(
        `${searchesPath}?limit=10${cursor === '' ? '' : `&cursor=${String(cursor)}`}`,
      )
      paged.push(...rows(page, 'results').map((row) => row.id))
      cursor = page.json['nextCursor']
    } while (cursor !== undefined)
    expect(paged).toEqual(ids.toReversed())
  })

  it('C12: past its rate a device gets 429 with an integer Retry-After', async () => {
    const answers: RawAnswer[] = []
    for (let index = 0; index < 21; index += 1) answers.push(await report('x', { results: {} }))
    expect(answers.map((answer) => answer.status)).toEqual([...Array.from({ length: 20 }, () => 404), 429])
    expect(answers.at(-1)?.headers.get('retry-after')).toBe('1')
    nowMs += 1000
    expect((await report('x', { results: {} })).status).toBe(404)
  })

  it('C13, C18: an upload has the links of the stores that took it, and a limit', async () => {
    await faced[Symbol.asyncDispose]()
    await open({ maxUploadBytes: 1000 })
    const [id] = await client.askForFile([device.id])
    const large = await client.upload(device, id!, 'x'.repeat(1001))
    expect([large.status, large.json]).toEqual([
      413,
      { error: 'Payload too large', message: expect.any(String) },
    ])
    const stored = await client.upload(device, id!, 'x'.repeat(1000), '文件 👀.txt')
    expect(stored.json).toEqual({ success: true, fileName: '文件 👀.txt', fileUrl: expect.any(String) })
    const file = await client.get(textOf(stored.json, 'fileUrl'))
    expect([file.status, file.text.length]).toEqual([200, 1000])
    expect(file.headers.get('content-disposition')).toMatch(/^attachment;/)
    expect(file.headers.get('x-content-type-options')).toBe('nosniff')
    const again = await client.upload(device, id!, 'other')
    expect(again.json).toEqual(stored.json)
  })

  it('C14: keys are shown again only where the host said so, and in no list', async () => {
    expect((await client.get(`${devicesPath}/${device.id}/key`)).status).toBe(404)
    expect((await client.get(devicesPath)).text).not.toContain(device.apiKey.slice(0, 20))
    await faced[Symbol.asyncDispose]()
    await open({ keySecret: 'an operator keeps this' })
    const shown = await client.get(`${devicesPath}/${device.id}/key`)
    expect(shown.json).toEqual({ apiKey: device.apiKey })
    expect(shown.headers.get('cache-control')).toBe('no-store')
  })

  it('C15: a new key works at once, the old one until then, and none after deletion', async () => {
    const rotated = await client.post(`${devicesPath}/${device.id}/rotate-key`, {})
    expect(Object.keys(rotated.json)).toEqual(['apiKey'])
    const fresh = { Authorization: `Bearer ${textOf(rotated.json, 'apiKey')}` }
    expect((await beat(device.headers)).status).toBe(200)
    expect((await beat(fresh)).status).toBe(200)
    expect((await beat(device.headers)).status).toBe(401)
    const gone = await client.send(`${devicesPath}/${device.id}`, { method: 'DELETE' })
    expect(gone.json).toEqual({ success: true })
    expect((await beat(fresh)).json).toEqual({ error: 'Invalid or missing API key' })
    expect(await list(devicesPath, 'devices')).toEqual([])
  })

  it('C19: what a report echoes changes nothing; metadata merges and stays small', async () => {
    const [queryId] = await client.search([device.id])
    await report(queryId!, { query: 'other', scope: ['apps'], results: {} })
    expect(await list(searchesPath)).toMatchObject([{ query: 'notes', scope: ['files'] }])
    await client.post('/api/devices/heartbeat', { metadata: { room: 'attic' } }, device.headers)
    await beat(device.headers)
    expect(await list(devicesPath, 'devices')).toMatchObject([{ metadata: { room: 'attic', os: 'Linux' } }])
  })

  it('C20: one unknown device creates nothing; one Idempotency-Key creates once', async () => {
    const body = { query: 'a', scope: ['files'], deviceIds: [device.id, device.id] }
    const unknown = { ...body, deviceIds: [device.id, 'unknown'] }
    expect((await client.post(searchesPath, unknown)).json).toEqual({ error: 'Device not found' })
    const once = { 'Idempotency-Key': 'first' }
    const [a, b] = [await client.post(searchesPath, body, once), await client.post(searchesPath, body, once)]
    expect(a.json).toEqual(b.json)
    expect((await client.post(searchesPath, { ...body, query: 'b' }, once)).status).toBe(409)
    expect(await list(searchesPath)).toHaveLength(1)
  })

  it('C21: a heartbeat tells what waits, and only then more than is documented', async () => {
    await client.search([device.id])
    await client.askForFile([device.id])
    expect((await beat(device.headers)).json).toEqual({
      success: true,
      status: 'online',
      pending: { searches: 1, uploads: 1 },
    })
  })

  it('C22: a poll that prefers to wait is answered as soon as there is work, or it ends', async () => {
    const prefer = { ...device.headers, Prefer: 'wait=60' }
    const held = client.get('/api/devices/search/pending', prefer)
    // Behind the poll on its way; whether it came first or not, the poll must not miss it.
    const [queryId] = await client.search([device.id])
    const answer = await held
    expect(rows(answer, 'requests').map((row) => row.id)).toEqual([queryId])
    expect(answer.headers.get('preference-applied')).toBe('wait=60')
    const left = client.get('/api/devices/files/upload-requests/pending', { ...prefer, Prefer: 'wait=0' })
    expect((await left).json).toEqual({ requests: [] })
  })

  it('C23: who has no session gets 401', async () => {
    for (const path of [devicesPath, searchesPath, uploadsPath, `${devicesPath}/${device.id}/key`]) {
      const answer = await client.get(path, { 'X-Forwarded-For': '192.0.2.1' })
      expect([answer.status, answer.json]).toEqual([401, { error: 'Unauthorized' }])
    }
  })
})
