import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openCloud, type Face } from './cloud-faces.ts'
import { createRawClient, type JsonObject, type RawClient } from './raw-client.ts'

const measured: Face[] = [
  { store: 'memory', transport: 'fetch' },
  { store: 'sqlite', transport: 'fetch' },
  { store: 'sqlite', transport: 'node:http' },
]

/** How many rows come in while a list is read. */
const maxMeanwhile = 15

interface Page {
  readonly ids: string[]
  readonly nextCursor: string | undefined
}

async function readPage(client: RawClient, path: string, key: string, query: string): Promise<Page> {
  const { status, json } = await client.get(`${path}?${query}`)
  expect(status).toBe(200)
  const ids = (json[key] as { id: string }[]).map((row) => row.id)
  return { ids, nextCursor: json['nextCursor'] as string | undefined }
}

/** Reads a list to its end, page by page; `between` runs while a page is read. */
async function readAll(
  read: (query: string) => Promise<Page>,
  limits: readonly number[],
  between: () => Promise<unknown>,
): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | undefined
  for (let page = 0; ; page += 1) {
    const query = `limit=${limits[page % limits.length]}${cursor === undefined ? '' : `&cursor=${cursor}`}`
    const [answer] = await Promise.all([read(query), between()])
    ids.push(...answer.ids)
    if (answer.nextCursor === undefined) return ids
    expect(answer.ids.length).toBeGreaterThan(0)
    cursor = answer.nextCursor
  }
}

const lists = [
  {
    path: '/api/devices/search/query',
    key: 'results',
    add: (client: RawClient, id: string) => client.search([id]),
  },
  {
    path: '/api/devices/files/upload-requests',
    key: 'results',
    add: (client: RawClient, id: string) => client.askForFile([id]),
  },
  {
    path: '/api/devices',
    key: 'devices',
    add: async (client: RawClient) => [(await client.register()).id],
  },
]

describe.each(measured)('over $transport and $store', (face) => {
  // Few distinct times, so that many rows share one and their order falls to the id.
  it.each(lists)(
    'C11: pages of $path neither repeat nor miss a row while others come in',
    async (list) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.nat(2), { minLength: 1, maxLength: 15 }),
          fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 4 }),
          fc.array(fc.integer({ min: -1, max: 2 }), { minLength: 1, maxLength: 5 }),
          async (steps, limits, meanwhile) => {
            let nowMs = Date.parse('2026-01-01T00:00:00Z')
            await using faced = await openCloud(face, { now: () => nowMs, checkReplies: false })
            const client = createRawClient(faced)
            const { id } = await client.register()
            const before = list.key === 'devices' ? [id] : []
            for (const step of steps) {
              nowMs += step
              before.push(...(await list.add(client, id)))
            }
            let page = 0
            const ids = await readAll(
              (query) => readPage(client, list.path, list.key, query),
              limits,
              async () => {
                // Now and then into the past, as from a machine whose clock is behind; not for ever, or pages never end.
                if (page === maxMeanwhile) return
                nowMs += meanwhile[page++ % meanwhile.length]!
                await list.add(client, id)
              },
            )
            expect(new Set(ids).size).toBe(ids.length)
            expect(ids).toEqual(expect.arrayContaining(before))
          },
        ),
        { numRuns: 8 },
      )
    },
    60_000,
  )

  it('C9: settles a search once, whatever reports race, and tells each of them the same', async () => {
    await using faced = await openCloud(face)
    const client = createRawClient(faced)
    const report = fc.record({
      error: fc.option(fc.constantFrom('disk gone', ' ', '', 'no')),
      late: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(report, { minLength: 2, maxLength: 8 }), async (drawn) => {
        const reports = drawn.map((each, mark) => ({ ...each, mark }))
        const device = await client.register()
        const [queryId] = await client.search([device.id])
        const settled: unknown[] = []
        faced.cloud.events.on('search:settled', (event) => settled.push(event))
        const send = ({ error, mark }: { error: string | null; mark: number }) =>
          client.post('/api/devices/search', { queryId: queryId!, error, results: { mark } }, device.headers)
        const racing = await Promise.all(reports.filter((each) => !each.late).map(send))
        const late = await Promise.all(reports.filter((each) => each.late).map(send))
        faced.cloud.events.removeAllListeners()
        const answers = [...racing, ...late]
        expect(new Set(answers.map((answer) => `${answer.status} ${answer.text}`)).size).toBe(1)
        expect(settled).toHaveLength(1)
        const { json } = await client.get(`/api/devices/search/query?queryId=${queryId}`)
        const [row] = json['results'] as JsonObject[]
        const winner = reports.find((each) => each.mark === (row!['results'] as { mark: number }).mark)
        const error = winner?.error?.trim() ?? ''
        expect(row!['status']).toBe(error === '' ? 'completed' : 'failed')
        expect(answers[0]!.json).toMatchObject({ queryId, status: row!['status'] })
      }),
      { numRuns: 25 },
    )
    expect(faced.errors).toEqual([])
  })
})

const creations: readonly (readonly [
  path: string,
  listPath: string,
  key: string,
  toBody: (deviceId: string, text: string) => JsonObject,
])[] = [
  [
    '/api/devices',
    '/api/devices',
    'devices',
    (_id, name) => ({ name, type: 'laptop', platform: 'linux', metadata: {} }),
  ],
  [
    '/api/devices/search/query',
    '/api/devices/search/query',
    'results',
    (id, query) => ({ query, scope: ['files'], deviceIds: [id] }),
  ],
  [
    '/api/devices/files/upload-requests',
    '/api/devices/files/upload-requests',
    'results',
    (id, filePath) => ({ filePath, destination: 'cloud', deviceIds: [id] }),
  ],
]

describe.each(measured)('C20: Idempotency-Key over $transport and $store', (face) => {
  it.each(creations)('eight racing POST %s create one', async (path, listPath, key, toBody) => {
    await using faced = await openCloud(face)
    const client = createRawClient(faced)
    const { id } = await client.register('first')
    const count = async () => (await readPage(client, listPath, key, 'limit=500')).ids.length
    const before = await count()
    const send = (text: string, idempotencyKey = 'one try') =>
      client.post(path, toBody(id, text), { 'Idempotency-Key': idempotencyKey })

    const answers = await Promise.all(Array.from({ length: 8 }, () => send('a')))
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1)
    expect(await count()).toBe(before + 1)

    const refused = await send('b')
    expect([refused.status, refused.json]).toEqual([409, { error: 'Conflict', message: expect.any(String) }])
    expect((await send('b', 'another')).text).not.toBe(answers[0]!.text)
    expect(await count()).toBe(before + 2)

    if (face.store === 'memory') return
    await faced.reopen()
    expect((await send('a')).text).toBe(answers[0]!.text)
    expect((await send('b')).status).toBe(409)
    expect(await count()).toBe(before + 2)
  })

  it('racing requests with different bodies under one key create one of them', async () => {
    await using faced = await openCloud(face)
    const client = createRawClient(faced)
    const { id } = await client.register()
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        client.post(
          '/api/devices/search/query',
          { query: `query ${index % 4}`, scope: ['files'], deviceIds: [id] },
          { 'Idempotency-Key': 'one' },
        ),
      ),
    )
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(2)
    expect(answers.filter((answer) => answer.status === 409)).toHaveLength(6)
    expect((await readPage(client, '/api/devices/search/query', 'results', '')).ids).toHaveLength(1)
  })

  it('a creation that was refused leaves its key free', async () => {
    await using faced = await openCloud(face)
    const client = createRawClient(faced)
    const { id } = await client.register()
    const send = (deviceId: string) =>
      client.post(
        '/api/devices/search/query',
        { query: 'a', scope: ['files'], deviceIds: [deviceId] },
        { 'Idempotency-Key': 'one' },
      )
    expect((await send('unknown')).status).toBe(404)
    expect((await send(id)).status).toBe(201)
  })
})
