import { describe, expect, it } from 'vitest'
import { createTestCloud, storeKinds, type Row, type TestCloud } from './test-cloud.ts'

const hour = 3_600_000
const results = {
  files: [{ path: '/home/ada/notes.txt', name: 'notes.txt', size: 12, modified: '2026-01-01T00:00:00Z' }],
}

async function ask(test: TestCloud, deviceIds: string[], more: object = {}): Promise<string[]> {
  const body = { query: 'notes', scope: ['files'], deviceIds, ...more }
  const answer = await test.send('POST', '/api/devices/search/query', { body })
  expect(answer.status).toBe(201)
  return answer.body.searchQueries!.map((search: { id: string }) => search.id)
}

async function list(test: TestCloud, query = ''): Promise<readonly Row[]> {
  return (await test.send('GET', `/api/devices/search/query${query}`)).body.results!
}

describe.each(storeKinds)('searches over %s', (kind) => {
  it('carries a search from the dashboard to the device and its results back', async () => {
    await using test = await createTestCloud(kind)
    const { id, headers } = await test.register()
    const [queryId] = await ask(test, [id, id])
    const pending = await test.send('GET', '/api/devices/search/pending', { headers })
    expect(pending.body).toEqual({
      requests: [
        {
          id: queryId,
          query: 'notes',
          scope: ['files'],
          actor: 'owner',
          createdAt: '2026-01-01T00:00:00.000Z',
        },
      ],
    })
    const report = { queryId, query: 'other', scope: ['apps'], results, error: null }
    const answer = await test.send('POST', '/api/devices/search', { body: report, headers })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ success: true, queryId, status: 'completed' })
    // C19: what the device echoes never overwrites what is stored.
    expect(await list(test, `?queryId=${queryId}`)).toEqual([
      {
        id: queryId,
        device: { id, name: 'laptop' },
        groupId: expect.any(String),
        query: 'notes',
        scope: ['files'],
        results,
        status: 'completed',
        createdAt: '2026-01-01T00:00:00.000Z',
        completedAt: '2026-01-01T00:00:00.000Z',
      },
    ])
    expect(test.errors).toEqual([])
  })

  it('C27: hands a search text to the device as it was given', async () => {
    await using test = await createTestCloud(kind)
    const { id, headers } = await test.register()
    for (const query of [' two  spaces ', 'a\tb', 'line\nbreak\r\n', '\u001b[2J', 'e\u0301 \u{1f600}']) {
      const [queryId] = await ask(test, [id], { query })
      const pending = await test.send('GET', '/api/devices/search/pending', { headers })
      expect(pending.body.requests).toMatchObject([{ id: queryId, query }])
      expect(await list(test, `?queryId=${queryId}`)).toMatchObject([{ query }])
      await test.send('POST', '/api/devices/search', { body: { queryId, results }, headers })
    }
    for (const query of ['', ' \n\t', 'a\0b', '\ud800', 'x'.repeat(1001)]) {
      const body = { query, scope: ['files'], deviceIds: [id] }
      expect(await test.send('POST', '/api/devices/search/query', { body })).toMatchObject({ status: 400 })
    }
  })

  it.each([
    ['  disk gone ', { results }, { success: false, status: 'failed', error: 'disk gone' }],
    ['   ', { results }, { success: true, status: 'completed' }],
    [null, { results }, { success: true, status: 'completed' }],
  ])(
    'C7, C8: a report with the error %j settles with 200 as the error says',
    async (error, rest, expected) => {
      await using test = await createTestCloud(kind)
      const { id, headers } = await test.register()
      const [queryId] = await ask(test, [id])
      const answer = await test.send('POST', '/api/devices/search', {
        body: { queryId, error, ...rest },
        headers,
      })
      expect(answer.status).toBe(200)
      expect(answer.body).toEqual({ queryId, ...expected })
      expect((await list(test))[0]).toMatchObject({ results })
    },
  )

  it('C7: refuses a report with neither results nor error, and changes nothing', async () => {
    await using test = await createTestCloud(kind)
    const { id, headers } = await test.register()
    const [queryId] = await ask(test, [id])
    const answer = await test.send('POST', '/api/devices/search', { body: { queryId, error: ' ' }, headers })
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({
      error: 'Validation error',
      message: expect.stringContaining('results'),
    })
    expect((await list(test))[0]).toMatchObject({ status: 'pending' })
  })

  it('C9: settles a search once, however many reports race', async () => {
    await using test = await createTestCloud(kind)
    const { id, headers } = await test.register()
    const other = await test.register('other')
    const [queryId] = await ask(test, [id])
    const settled: unknown[] = []
    test.cloud.events.on('search:settled', (event) => settled.push(event))
    const reports = Array.from({ length: 8 }, (_, index) => ({
      queryId,
      results: {},
      error: index % 2 ? `e${index}` : null,
    }))
    const answers = await Promise.all(
      reports.map((body) => test.send('POST', '/api/devices/search', { body, headers })),
    )
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1)
    expect(settled).toHaveLength(1)

    for (const [as, asked] of [
      [other.headers, queryId],
      [headers, 'unknown'],
    ] as const) {
      const foreign = await test.send('POST', '/api/devices/search', {
        body: { queryId: asked, results: {} },
        headers: as,
      })
      expect(foreign.status).toBe(404)
      expect(foreign.body).toEqual({ error: 'Search query not found' })
    }
  })

  it('C10: fails a search that nobody answered in time, and a late report changes nothing', async () => {
    await using test = await createTestCloud(kind)
    const { id, headers } = await test.register()
    const [queryId] = await ask(test, [id], { ttlSeconds: 60 })
    await ask(test, [id])
    test.advance(60_000)
    expect((await list(test, '?status=failed')).map((row) => [row.id, row.error, row.completedAt])).toEqual([
      [queryId, 'expired: the device did not report in time', '2026-01-01T00:01:00.000Z'],
    ])
    const pending = await test.send('GET', '/api/devices/search/pending', { headers })
    expect(pending.body.requests!).toHaveLength(1)
    const late = await test.send('POST', '/api/devices/search', { body: { queryId, results }, headers })
    expect(late.body).toMatchObject({
      success: false,
      status: 'failed',
      error: expect.stringContaining('expired'),
    })
    test.advance(24 * hour)
    expect(await list(test, '?status=pending')).toEqual([])
  })

  it('C11: ends a page of large results early, and goes on behind it', async () => {
    await using test = await createTestCloud(kind)
    const { id, headers } = await test.register()
    const large = { notes: 'x'.repeat(4 * 1024 * 1024) }
    const queryIds: string[] = []
    for (let count = 0; count < 12; count += 1) {
      const [queryId] = await ask(test, [id])
      queryIds.unshift(queryId!)
      const answer = await test.send('POST', '/api/devices/search', {
        body: { queryId, results: large },
        headers,
      })
      expect(answer.status).toBe(200)
      test.advance(1000)
    }
    const first = (await test.send('GET', '/api/devices/search/query')).body
    expect(first.results!.length).toBeLessThan(12)
    const rest = (await test.send('GET', `/api/devices/search/query?cursor=${first.nextCursor}`)).body
    expect([...first.results!, ...rest.results!].map((search: Row) => search['id'])).toEqual(queryIds)
    expect(rest).not.toHaveProperty('nextCursor')
  })

  it('C11: gives a device at most 20 searches a poll, oldest first, and dashboards the newest first', async () => {
    await using test = await createTestCloud(kind)
    const { id, headers } = await test.register()
    const ids: string[] = []
    for (let index = 0; index < 25; index += 1) {
      ids.push(...(await ask(test, [id])))
      test.advance(1)
    }
    const pending = (await test.send('GET', '/api/devices/search/pending', { headers })).body
    expect(pending.requests!.map((request) => request.id)).toEqual(ids.slice(0, 20))
    expect((await list(test, '?limit=3')).map((row) => row.id)).toEqual(ids.slice(-3).toReversed())
    for (const limit of ['0', '501', 'x', '-1', '']) {
      expect((await test.send('GET', `/api/devices/search/query?limit=${limit}`)).status, limit).toBe(400)
    }
  })

  it('C20: creates nothing when one device is unknown, and one set under racing Idempotency-Keys', async () => {
    await using test = await createTestCloud(kind)
    const { id } = await test.register()
    const body = { query: 'a', scope: ['files'], deviceIds: [id, 'unknown'] }
    const refused = await test.send('POST', '/api/devices/search/query', { body })
    expect([refused.status, refused.body]).toEqual([404, { error: 'Device not found' }])
    expect(await list(test)).toEqual([])

    const headers = { 'idempotency-key': 'k1' }
    const good = { ...body, deviceIds: [id] }
    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        test.send('POST', '/api/devices/search/query', { body: good, headers }),
      ),
    )
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1)
    expect(await list(test)).toHaveLength(1)
  })

  it('C22: holds a poll until there is work, until its time is over, or until the cloud closes', async () => {
    await using test = await createTestCloud(kind)
    const { id, headers } = await test.register()
    const poll = (wait: string) =>
      test.send('GET', '/api/devices/search/pending', { headers: { ...headers, prefer: wait } })
    const held = poll('wait=30')
    const [queryId] = await ask(test, [id])
    const answer = await held
    expect(answer.headers.get('preference-applied')).toBe('wait=30')
    expect(answer.body).toMatchObject({ requests: [{ id: queryId }] })
    await test.send('POST', '/api/devices/search', { body: { queryId, results: {} }, headers })

    const capped = poll('respond-async, wait=600')
    await new Promise((resolve) => setImmediate(resolve)) // until it is held
    await test.cloud.close()
    const ended = await capped
    expect(ended.headers.get('preference-applied')).toBe('wait=60')
    expect(ended.body).toEqual({ requests: [] })
  })

  it('refuses searches that are not documented ones', async () => {
    await using test = await createTestCloud(kind)
    const { id } = await test.register()
    const good = { query: 'a', scope: ['files'], deviceIds: [id] }
    for (const [field, value] of [
      ['query', ''],
      ['query', 'x'.repeat(1001)],
      ['scope', []],
      ['scope', 'files'],
      ['deviceIds', []],
      ['deviceIds', Array.from({ length: 1001 }, () => id)],
      ['ttlSeconds', 59],
    ]) {
      const answer = await test.send('POST', '/api/devices/search/query', {
        body: { ...good, [field as string]: value },
      })
      expect(answer.status).toBe(400)
      expect(answer.body).toMatchObject({ message: expect.stringContaining(field as string) })
    }
    expect(await list(test)).toEqual([])
  })
})
