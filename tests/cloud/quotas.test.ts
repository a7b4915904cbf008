import { describe, expect, it } from 'vitest'
import { createTestCloud, storeKinds, type Answer, type TestCloud } from './test-cloud.ts'

const ask = (test: TestCloud, body: object, headers: Record<string, string> = {}): Promise<Answer> =>
  test.send('POST', '/api/devices/search/query', { body: { query: 'a', scope: ['files'], ...body }, headers })
const request = (test: TestCloud, deviceIds: readonly string[]) =>
  test.send('POST', '/api/devices/files/upload-requests', { body: { filePath: '/a', deviceIds } })
const quotasOf = async (test: TestCloud) => (await test.send('GET', '/api/quotas')).body['quotas']
const statuses = ({ body }: Answer) => body.searchQueries!.map((row) => row['status'])

describe.each(storeKinds)('quotas over %s', (kind) => {
  it('lists what is used, without limits by default', async () => {
    await using test = await createTestCloud(kind)
    const { id } = await test.register()
    await test.register('other')
    await ask(test, { deviceIds: [id] })
    await request(test, [id])
    expect(await quotasOf(test)).toEqual([
      { name: 'devices', used: 2 },
      { name: 'pendingPerDevice', used: 2 },
      { name: 'searchesPerDay', used: 1 },
      { name: 'storedBytes', used: 0 },
    ])
  })

  it('rejects a device above the limit with 403, by registration and by enrollment', async () => {
    await using test = await createTestCloud(kind, { quotas: { devices: 1 } })
    const body = { name: 'a', type: 'laptop', platform: 'linux', metadata: {} }
    const headers = { 'idempotency-key': 'k' }
    const first = await test.send('POST', '/api/devices', { body, headers })
    const again = await test.send('POST', '/api/devices', { body, headers })
    expect([first.status, again.status, again.body.apiKey]).toEqual([201, 201, first.body.apiKey])
    const other = await test.send('POST', '/api/devices', { body })
    expect([other.status, other.body.error, other.body.message]).toEqual([
      403,
      'Forbidden',
      expect.stringContaining('"devices" allows 1 devices'),
    ])
    const made = await test.send('POST', '/api/devices/enrollment-tokens', {
      body: { label: 'x', approval: 'auto' },
    })
    const enrolled = await test.send('POST', '/api/devices/enrollments', {
      body: { ...body, keyHash: 'a'.repeat(64), keyHint: 'abcd', token: made.body['secret'] },
    })
    expect(enrolled.status).toBe(403)
    expect(await quotasOf(test)).toContainEqual({ name: 'devices', limit: 1, used: 1 })
  })

  it('rejects the search of a device that has enough to do with 429, but repeats a response', async () => {
    await using test = await createTestCloud(kind, { quotas: { pendingPerDevice: 2 } })
    const { id, headers } = await test.register()
    const first = await ask(test, { deviceIds: [id] }, { 'idempotency-key': 'k' })
    await request(test, [id])
    const full = await ask(test, { deviceIds: [id] })
    expect([full.status, full.body.message]).toEqual([
      429,
      expect.stringContaining('"pendingPerDevice" allows 2 '),
    ])
    expect(Number(full.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await request(test, [id])).status).toBe(429)
    expect((await ask(test, { deviceIds: [id] }, { 'idempotency-key': 'k' })).text).toBe(first.text)
    const queryId = first.body.searchQueries![0]!.id
    await test.send('POST', '/api/devices/search', { headers, body: { queryId, results: {} } })
    expect((await ask(test, { deviceIds: [id] })).status).toBe(201)
  })

  it('never lets more through when requests race', async () => {
    await using test = await createTestCloud(kind, { quotas: { pendingPerDevice: 5 } })
    const { id } = await test.register()
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(test, { deviceIds: [id] })))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5)
    expect(await quotasOf(test)).toContainEqual({ name: 'pendingPerDevice', limit: 5, used: 5 })
  })

  it('makes the rows of a group that fit, and the others failed', async () => {
    await using test = await createTestCloud(kind, { quotas: { pendingPerDevice: 1 } })
    const [one, two] = [await test.register('one'), await test.register('two')]
    await ask(test, { deviceIds: [one.id] })
    const settled: unknown[] = []
    test.cloud.events.on('group:settled', ({ groupId }) => settled.push(groupId))
    const group = await ask(test, { deviceIds: [one.id, two.id] })
    expect([group.status, statuses(group)]).toEqual([201, ['failed', 'pending']])
    const { body } = await test.send(
      'GET',
      `/api/devices/search/query?groupId=${String(group.body['groupId'])}`,
    )
    const failed = body.results!.find((row) => row['status'] === 'failed')
    expect(failed).toMatchObject({ error: 'quota_exceeded', device: { id: one.id } })
    const pending = await test.send('GET', '/api/devices/search/pending', { headers: one.headers })
    expect(pending.body.requests).toHaveLength(1)
    const none = await ask(test, { filter: {} })
    expect([none.status, statuses(none)]).toEqual([201, ['failed', 'failed']])
    await expect.poll(() => settled).toEqual([none.body['groupId']])
  })

  it('limits the searches of a day, which begins at midnight UTC', async () => {
    await using test = await createTestCloud(kind, { quotas: { searchesPerDay: 3 } })
    const [one, two] = [await test.register('one'), await test.register('two')]
    test.advance(20 * 3_600_000)
    expect((await ask(test, { deviceIds: [one.id, two.id] })).status).toBe(201)
    const part = await ask(test, { filter: {} })
    expect(
      statuses(part)
        .map(String)
        .toSorted((a, b) => a.localeCompare(b)),
    ).toEqual(['failed', 'pending'])
    const over = await ask(test, { deviceIds: [one.id] })
    expect([over.status, over.headers.get('retry-after')]).toEqual([429, String(4 * 3600)])
    expect(over.body.message).toContain('"searchesPerDay" allows 3 searches a day')
    expect((await request(test, [one.id])).status).toBe(201)
    test.advance(4 * 3_600_000)
    expect((await ask(test, { deviceIds: [one.id] })).status).toBe(201)
  })

  it('rejects files above the limit with 403', async () => {
    await using test = await createTestCloud(kind, { quotas: { storedBytes: 10 } })
    const { id, headers } = await test.register()
    const upload = async (requestId: string) => {
      const form = new FormData()
      form.append('requestId', requestId)
      form.append('file', new Blob(['0123456789']), 'a.txt')
      return test.send('POST', '/api/devices/files/upload', { body: form, headers })
    }
    const [first, second] = [await request(test, [id]), await request(test, [id])]
    const idOf = ({ body }: Answer) => body.uploadRequests![0]!.id
    expect((await upload(idOf(first))).status).toBe(200)
    const refused = await upload(idOf(second))
    expect([refused.status, refused.body.message]).toEqual([
      403,
      expect.stringContaining('"storedBytes" allows 10 '),
    ])
    expect((await request(test, [id])).status).toBe(403)
    expect(await quotasOf(test)).toContainEqual({ name: 'storedBytes', limit: 10, used: 10 })
  })
})
