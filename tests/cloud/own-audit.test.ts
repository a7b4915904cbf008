import { describe, expect, it } from 'vitest'
import { createTestCloud, storeKinds, type Row, type TestCloud } from './test-cloud.ts'

const path = '/api/devices/own/audit'
const sessions = {
  resolve: (request: { header(name: string): string | undefined }) => {
    const actor = request.header('x-actor')
    return { userId: 'local', ...(actor !== undefined && { actor }) }
  },
}

async function ask(
  test: TestCloud,
  body: object,
  headers: Record<string, string> = {},
): Promise<readonly string[]> {
  const search = { query: 'a', scope: ['files'], ...body }
  const made = await test.send('POST', '/api/devices/search/query', { body: search, headers })
  expect(made.status).toBe(201)
  return made.body.searchQueries!.map(({ id }) => id)
}

async function ownAudit(test: TestCloud, headers: Record<string, string>, query = '') {
  const { status, body } = await test.send('GET', path + query, { headers })
  expect(status).toBe(200)
  const { nextCursor, knownSince } = body
  return { entries: body['entries'] as readonly Row[], nextCursor, knownSince }
}

describe.each(storeKinds)('what a device was asked for, over %s', (kind) => {
  it('C30: says in each form of the lists who asks', async () => {
    await using test = await createTestCloud(kind, { sessions })
    const { id, headers } = await test.register()
    const token = await test.send('POST', '/api/tokens', { body: { name: 'bob', may: ['search', 'fetch'] } })
    const bob = { authorization: `Bearer ${String(token.body['secret'])}` }
    await ask(test, { deviceIds: [id] })
    await ask(test, { filter: {} }, { 'x-actor': 'Ann of the office' })
    const file = { filePath: '/a', destination: 'cloud', deviceIds: [id] }
    await test.send('POST', '/api/devices/files/upload-requests', { body: file, headers: bob })
    const saved = { name: 's', query: 'b', scope: ['files'], filter: {} }
    const { body } = await test.send('POST', '/api/devices/saved-searches', { body: saved })
    const savedId = (body['savedSearch'] as Row).id
    await test.send('POST', `/api/devices/saved-searches/${savedId}/run`, { headers: { 'x-actor': 'Eve' } })
    const actors = (rows: readonly Row[] = []) =>
      rows.map(({ actor }) => actor).toSorted((a, b) => String(a).localeCompare(String(b)))
    const expected = ['Ann of the office', 'Eve', 'owner']
    const lists = async () => {
      const searches = await test.send('GET', '/api/devices/search/pending', { headers })
      const uploads = await test.send('GET', '/api/devices/files/upload-requests/pending', { headers })
      const work = await test.send('POST', '/api/devices/work', { headers, body: { metadata: {} } })
      return { searches, uploads, work: work.body as unknown as Record<string, readonly Row[]> }
    }
    await expect.poll(async () => (await lists()).searches.body.requests?.length).toBe(3)
    const { searches, uploads, work } = await lists()
    expect(actors(searches.body.requests)).toEqual(expected)
    expect(actors(uploads.body.requests)).toEqual(['token:bob'])
    expect([actors(work['searches']), actors(work['uploads'])]).toEqual([expected, ['token:bob']])
    const { entries } = await ownAudit(test, headers)
    expect(actors(entries)).toEqual([...expected, 'token:bob'])
  })

  it('C24: has one entry for each request to this device, and none of another', async () => {
    await using test = await createTestCloud(kind, { sessions })
    const devices = [await test.register('a'), await test.register('b')]
    const [mine, other] = devices as [(typeof devices)[0], (typeof devices)[0]]
    const [first] = await ask(test, { deviceIds: devices.map(({ id }) => id) })
    test.advance(1000)
    const file = { filePath: '/a', destination: 'cloud', deviceIds: [mine.id] }
    const made = await test.send('POST', '/api/devices/files/upload-requests', { body: file })
    const uploadId = made.body.uploadRequests![0]!.id
    const report = { queryId: first, results: { files: [] }, error: null }
    await test.send('POST', '/api/devices/search', { body: report, headers: mine.headers })
    const { entries, knownSince, nextCursor } = await ownAudit(test, mine.headers)
    expect(entries).toEqual([
      {
        id: uploadId,
        at: '2026-01-01T00:00:01.000Z',
        actor: 'owner',
        action: 'upload:created',
        requestId: uploadId,
        unanswered: 'pending',
      },
      {
        id: first,
        at: '2026-01-01T00:00:00.000Z',
        actor: 'owner',
        action: 'search:created',
        requestId: first,
      },
    ])
    expect([knownSince, nextCursor]).toEqual([undefined, undefined])
    expect((await ownAudit(test, other.headers)).entries).toHaveLength(1)
    test.advance(25 * 60 * 60 * 1000)
    expect((await ownAudit(test, other.headers)).entries).toMatchObject([{ unanswered: 'expired' }])
    expect((await test.send('GET', path)).status).toBe(401)
    expect((await test.send('GET', `${path}?of=x`, { headers: mine.headers })).status).toBe(400)
  })

  it('C11: pages, and says since when it knows everything', async () => {
    await using test = await createTestCloud(kind, { retention: { searchesDays: 30, filesDays: 10 } })
    const { id, headers } = await test.register()
    for (let count = 0; count < 5; count += 1) await ask(test, { deviceIds: [id], query: String(count) })
    const ids: string[] = []
    let query = '?limit=2'
    for (let pages = 0; pages < 9; pages += 1) {
      test.advance(5000)
      const { entries, nextCursor, knownSince } = await ownAudit(test, headers, query)
      expect(Date.parse(String(knownSince))).toBeLessThan(Date.parse('2025-12-23'))
      ids.push(...entries.map((entry) => entry.id))
      if (nextCursor === undefined) break
      query = `?limit=2&cursor=${nextCursor}`
    }
    expect([ids.length, new Set(ids).size]).toEqual([5, 5])
  })
})
