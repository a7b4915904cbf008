import { describe, expect, it } from 'vitest'
import { createTestCloud, storeKinds, type Row, type TestCloud } from './test-cloud.ts'

const file = (name: string, size: number, modified: string) => ({
  path: `/home/ada/${name}`,
  name,
  size,
  modified,
})
const files = [
  file('a.pdf', 10, '2026-01-01T00:00:00Z'),
  file('b.mp4', 30, '2026-01-02T00:00:00Z'),
  file('c.pdf', 20, '2026-01-03T00:00:00Z'),
]
const selection = { where: { kind: ['document'], minBytes: 5 }, sort: '-size', limit: 1 }

async function create(
  test: TestCloud,
  deviceId: string,
  more: object,
): Promise<{ id: string; groupId: string }> {
  const body = { query: 'x', scope: ['files'], deviceIds: [deviceId], ...more }
  const answer = await test.send('POST', '/api/devices/search/query', { body })
  expect(answer.status).toBe(201)
  const [search] = answer.body.searchQueries as readonly Row[]
  return { id: String(search?.['id']), groupId: String(answer.body['groupId']) }
}

const read = async (test: TestCloud, id: string): Promise<Row | undefined> =>
  (await test.send('GET', `/api/devices/search/query?queryId=${id}`)).body.results?.[0]

describe.each(storeKinds)('what a search selects, over %s', (kind) => {
  it('reaches the device, and is applied to what an old agent reports', async () => {
    await using test = await createTestCloud(kind)
    const { id, headers } = await test.register()
    const { id: queryId, groupId } = await create(test, id, selection)
    const pending = await test.send('GET', '/api/devices/search/pending', { headers })
    expect(pending.body.requests).toMatchObject([{ id: queryId, ...selection }])
    const apps = [{ name: 'x', path: '/x', running: false }]
    const body = {
      queryId,
      results: { files, apps, photos: files, system: { cpu: '', memory: '', disk: '' } },
    }
    expect((await test.send('POST', '/api/devices/search', { body, headers })).body).toMatchObject({
      success: true,
    })
    expect(await read(test, queryId)).toMatchObject({
      ...selection,
      results: {
        files: [{ name: 'c.pdf' }],
        photos: [{ name: 'c.pdf' }],
        apps,
        truncated: { files: true, photos: true },
      },
    })
    const { body: found } = await test.send('GET', `/api/devices/search/groups/${groupId}`)
    expect(found['group']).toMatchObject({ ...selection, filesFound: 1 })
    const exported = await test.send('GET', `/api/devices/search/groups/${groupId}/export?format=ndjson`)
    expect(exported.text).toContain('c.pdf')
    expect(exported.text).not.toContain('a.pdf')
  })

  it('leaves an answer as it was reported without a selection, up to 1,000 rows', async () => {
    await using test = await createTestCloud(kind)
    const { id, headers } = await test.register()
    const { id: queryId } = await create(test, id, {})
    const many = Array.from({ length: 1001 }, (_, at) => file(`f${at}`, 1, '2026-01-01T00:00:00Z'))
    await test.send('POST', '/api/devices/search', { body: { queryId, results: { files: many } }, headers })
    const found = await read(test, queryId)
    expect(found?.['results']).toMatchObject({ truncated: { files: true } })
    expect(found?.['results']).toHaveProperty('files', many.slice(0, 1000))
    const { id: second } = await create(test, id, { limit: 10_000 })
    await test.send('POST', '/api/devices/search', {
      body: { queryId: second, results: { files: many } },
      headers,
    })
    const all = (await read(test, second))?.['results'] as { files: object[]; truncated?: object }
    expect([all.files.length, all.truncated]).toEqual([1001, undefined])
  })

  it('exports folders as such, and files whatever kind their device gives them', async () => {
    await using test = await createTestCloud(kind)
    const { id, headers } = await test.register()
    const { id: queryId, groupId } = await create(test, id, { where: { kind: ['folder', 'document'] } })
    const rows = [
      { ...files[0], kind: 'document' },
      { ...file('docs', 0, '2026-01-01T00:00:00Z'), kind: 'folder' },
    ]
    await test.send('POST', '/api/devices/search', { body: { queryId, results: { files: rows } }, headers })
    const path = `/api/devices/search/groups/${groupId}/export?format=`
    const ndjson = (await test.send('GET', `${path}ndjson`)).text.trim().split('\n')
    const kinds = ndjson.map((line) => (JSON.parse(line) as { name: string; kind: string }).kind)
    expect(kinds.toSorted()).toEqual(['file', 'folder'])
    const csv = (await test.send('GET', `${path}csv`)).text
    expect(csv).toContain(`${queryId},folder,/home/ada/docs,docs,0,2026-01-01T00:00:00Z,,,,,,\r\n`)
    expect(csv).toContain(`${queryId},file,/home/ada/a.pdf,a.pdf,10,2026-01-01T00:00:00Z,,,,,,\r\n`)
  })

  it('ignores the case of folders for devices with Windows only', async () => {
    await using test = await createTestCloud(kind)
    const registered = await test.send('POST', '/api/devices', {
      body: { name: 'desk', type: 'desktop', platform: 'windows' },
    })
    const { device, apiKey } = registered.body as { device: { id: string }; apiKey: string }
    const headers = { authorization: `Bearer ${apiKey}` }
    const { id: queryId } = await create(test, device.id, { where: { folder: 'c:/users/ADA' } })
    const rows = [
      { ...files[0], path: 'C:\\Users\\Ada\\a.pdf' },
      { ...files[1], path: 'C:\\Users\\Adam\\b.mp4' },
    ]
    await test.send('POST', '/api/devices/search', { body: { queryId, results: { files: rows } }, headers })
    expect((await read(test, queryId))?.['results']).toEqual({ files: [rows[0]] })
  })

  it('stays with a saved search and its runs', async () => {
    await using test = await createTestCloud(kind)
    const { headers } = await test.register()
    const body = {
      name: 'Videos',
      query: '',
      scope: ['files'],
      filter: {},
      where: { kind: ['video'] },
      sort: '-size',
    }
    const { body: made } = await test.send('POST', '/api/devices/saved-searches', { body })
    const saved = made['savedSearch'] as { id: string }
    expect(saved).toMatchObject({ query: '', where: { kind: ['video'] }, sort: '-size' })
    await test.send('POST', `/api/devices/saved-searches/${saved.id}/run`, { body: {} })
    const pending = await test.send('GET', '/api/devices/search/pending', {
      headers: { ...headers, prefer: 'wait=5' },
    })
    expect(pending.body.requests).toMatchObject([{ query: '', where: { kind: ['video'] }, sort: '-size' }])
    const plain = { name: 'All', query: 'x', scope: ['files'], filter: {} }
    const { body: changed } = await test.send('PUT', `/api/devices/saved-searches/${saved.id}`, {
      body: plain,
    })
    expect(changed['savedSearch']).not.toHaveProperty('where')
  })

  it.each([
    { query: '' },
    { query: ' ', where: {} },
    { where: { kind: ['film'] } },
    { where: { kind: [] } },
    { where: { kinds: ['image'] } },
    { where: { extension: ['.pdf'] } },
    { where: { minBytes: -1 } },
    { where: { modifiedAfter: 'yesterday' } },
    { sort: 'date' },
    { limit: 0 },
    { limit: 10_001 },
  ])('is refused if it is not understood: %j', async (more) => {
    await using test = await createTestCloud(kind)
    const { id } = await test.register()
    const body = { query: 'x', scope: ['files'], deviceIds: [id], ...more }
    expect((await test.send('POST', '/api/devices/search/query', { body })).status).toBe(400)
  })
})
