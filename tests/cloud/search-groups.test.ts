import type { AuditEntry } from '@homeward/contract/device-cloud'
import { describe, expect, it, vi } from 'vitest'
import { createTestCloud, storeKinds, type TestCloud } from './test-cloud.ts'

const groups = '/api/devices/search/groups'
const day = 24 * 3_600_000

async function search(test: TestCloud, deviceIds: readonly string[], more: object = {}) {
  const body = { query: 'notes', scope: ['files', 'apps', 'system'], deviceIds, ...more }
  const answer = await test.send('POST', '/api/devices/search/query', { body })
  expect(answer.status).toBe(201)
  const searches = answer.body.searchQueries as unknown as { id: string; deviceId: string }[]
  return { groupId: String(answer.body['groupId']), searches }
}

async function report(test: TestCloud, headers: Record<string, string>, results: object | null, error = '') {
  const pending = await test.send('GET', '/api/devices/search/pending', { headers })
  const body = { queryId: pending.body.requests![0]!.id, results, error }
  return test.send('POST', '/api/devices/search', { body, headers })
}

const groupOf = async (test: TestCloud, id: string) =>
  (await test.send('GET', `${groups}/${id}`)).body['group'] as object

async function auditOf(test: TestCloud, query = ''): Promise<readonly AuditEntry[]> {
  return (await test.send('GET', `/api/audit${query}`)).body['entries'] as readonly AuditEntry[]
}

const modified = '2026-01-01T00:00:00Z'
const file = (name: string) => ({ path: `/home/ada/${name}`, name, size: 12, modified })

describe.each(storeKinds)('groups of searches over %s', (kind) => {
  it('C32: tells once that all searches of a group have ended', async () => {
    const ticks: (() => void)[] = []
    const timers = { setTimeout: (tick: () => void) => ticks.push(tick), clearTimeout() {} }
    await using test = await createTestCloud(kind, { timers })
    const told: string[] = []
    test.cloud.events.on('group:settled', ({ groupId, userId }) => told.push(`${groupId} ${userId}`))
    const settle = vi.spyOn(test.store, 'settleGroups')
    /** Lets all timers run, until the store was asked about this group. */
    const untilAsked = async (groupId: string) => {
      await expect
        .poll(async () => {
          for (const tick of ticks.splice(0)) tick()
          await Promise.all(settle.mock.results.map(({ value }) => value as Promise<unknown>))
          return settle.mock.calls.some(([ids]) => ids.includes(groupId))
        })
        .toBe(true)
    }
    const [a, b] = [await test.register('a'), await test.register('b')]
    const { groupId, searches } = await search(test, [a.id, b.id])
    await report(test, a.headers, { files: [] })
    await untilAsked(groupId)
    expect(told).toEqual([])
    const last = searches.find(({ deviceId }) => deviceId === b.id)!
    settle.mockClear()
    await test.send('DELETE', `/api/devices/search/query/${last.id}`)
    await untilAsked(groupId)
    expect(told).toEqual([`${groupId} local`])
    const none = { query: 'notes', scope: ['files'], filter: { labels: ['nowhere'] } }
    const empty = await test.send('POST', '/api/devices/search/query', { body: none })
    const emptyId = String(empty.body['groupId'])
    await untilAsked(emptyId)
    expect(told).toEqual([`${groupId} local`, `${emptyId} local`])
  })

  it('C32: a search on several devices has one id, its counts, and a list of its searches', async () => {
    await using test = await createTestCloud(kind)
    const devices = [await test.register('a'), await test.register('b'), await test.register('c')]
    const { groupId, searches } = await search(
      test,
      devices.map(({ id }) => id),
    )
    await report(test, devices[0]!.headers, { files: [file('a.txt'), file('b.txt')] })
    await report(test, devices[1]!.headers, null, 'disk gone')
    await search(test, [devices[0]!.id])
    const group = {
      id: groupId,
      query: 'notes',
      scope: ['files', 'apps', 'system'],
      createdAt: '2026-01-01T00:00:00.000Z',
      total: 3,
      counts: { pending: 1, completed: 1, failed: 1 },
      filesFound: 2,
    }
    expect(await groupOf(test, groupId)).toEqual(group)
    const listed = (await test.send('GET', `${groups}?limit=5`)).body['groups'] as object[]
    expect(listed).toHaveLength(2)
    expect(listed).toContainEqual(group)
    const rows = (await test.send('GET', `/api/devices/search/query?groupId=${groupId}`)).body.results!
    expect(rows.map(({ id }) => id).toSorted()).toEqual(searches.map(({ id }) => id).toSorted())
    expect(rows[0]).toMatchObject({ groupId })
    test.advance(day)
    expect(await groupOf(test, groupId)).toMatchObject({ counts: { pending: 0, completed: 1, failed: 2 } })
    expect((await test.send('GET', `${groups}/nothing`)).status).toBe(404)
  })

  it('C32: lists the groups that a filter matches, and rejects a filter that it does not know', async () => {
    await using test = await createTestCloud(kind)
    const { id, headers } = await test.register()
    await search(test, [id], { query: 'Tax 2025' })
    await report(test, headers, { files: [] })
    test.advance(day / 2)
    await search(test, [id], { query: 'holiday' })
    await search(test, [id], { query: '2026 tax' })
    const list = async (query: string) => (await test.send('GET', `${groups}?${query}`)).body
    const textsOf = async (query: string) =>
      ((await list(query))['groups'] as readonly { query: string }[]).map((group) => group.query).toSorted()
    expect(await textsOf('text=TAX')).toEqual(['2026 tax', 'Tax 2025'])
    expect(await textsOf('text=tax%20%202026')).toEqual(['2026 tax'])
    expect(await textsOf('text=tax&status=settled')).toEqual(['Tax 2025'])
    expect(await textsOf('status=pending')).toEqual(['2026 tax', 'holiday'])
    expect(await textsOf('to=2026-01-01T13:00:00%2B01:00')).toEqual(['Tax 2025'])
    expect(await textsOf('from=2026-01-01T12:00:00Z')).toEqual(['2026 tax', 'holiday'])
    expect(await textsOf('savedSearchId=none')).toEqual([])
    const first = await list('text=tax&limit=1')
    const cursor = encodeURIComponent(first.nextCursor!)
    expect(await textsOf(`text=tax&limit=1&cursor=${cursor}`)).toHaveLength(1)
    expect(await list(`limit=1&cursor=${cursor}`)).toMatchObject({ error: 'Validation error' })
    for (const wrong of ['state=pending', 'status=completed', 'from=today', `text=${'a+'.repeat(17)}`])
      expect(await list(wrong)).toMatchObject({ error: 'Validation error' })
  })

  it('C32: upload requests of several devices share an id too', async () => {
    await using test = await createTestCloud(kind)
    const ids = [(await test.register('a')).id, (await test.register('b')).id]
    const path = '/api/devices/files/upload-requests'
    const asked = await test.send('POST', path, { body: { deviceIds: ids, filePath: '/a' } })
    await test.send('POST', path, { body: { deviceIds: ids, filePath: '/b' } })
    const groupId = String(asked.body['groupId'])
    const rows = (await test.send('GET', `${path}?groupId=${groupId}`)).body.results!
    expect(rows.map((row) => [row['filePath'], row['groupId']])).toEqual([
      ['/a', groupId],
      ['/a', groupId],
    ])
    expect((await test.send('GET', `${groups}/${groupId}`)).status).toBe(404)
  })

  it('C32: a repeat under one Idempotency-Key gives the same group', async () => {
    await using test = await createTestCloud(kind)
    const { id } = await test.register()
    const body = { query: 'q', scope: ['files'], deviceIds: [id] }
    const send = () =>
      test.send('POST', '/api/devices/search/query', { body, headers: { 'idempotency-key': 'k' } })
    const first = await send()
    expect((await send()).body).toEqual(first.body)
    expect((await test.send('GET', groups)).body['groups']).toHaveLength(1)
  })

  it('C9, C32: cancels a pending search, once for the host, and the device that reports late hears of it', async () => {
    await using test = await createTestCloud(kind)
    const { id, headers } = await test.register()
    const settled: unknown[] = []
    test.cloud.events.on('search:settled', (event) => void settled.push(event))
    const { searches } = await search(test, [id])
    const searchId = searches[0]!.id
    const path = `/api/devices/search/query/${searchId}`
    expect(await test.send('DELETE', path)).toMatchObject({ status: 200, body: { success: true } })
    const pending = await test.send('GET', '/api/devices/search/pending', { headers })
    expect(pending.body).toEqual({ requests: [] })
    const body = { queryId: searchId, results: { files: [] }, error: null }
    const late = await test.send('POST', '/api/devices/search', { body, headers })
    expect(late).toMatchObject({
      status: 200,
      body: { success: false, queryId: searchId, status: 'failed', error: 'canceled' },
    })
    expect(settled).toEqual([
      { searchId, deviceId: id, userId: 'local', status: 'failed', outcome: 'canceled' },
    ])
    const [row] = (await test.send('GET', `/api/devices/search/query?queryId=${searchId}`)).body.results!
    expect(row).toMatchObject({ status: 'failed', error: 'canceled', results: null })
    // settled now: a second call erases it
    expect((await test.send('DELETE', path)).status).toBe(200)
    expect(await test.send('DELETE', path)).toMatchObject({
      status: 404,
      body: { error: 'Search query not found' },
    })
    expect((await test.send('POST', '/api/devices/search', { body, headers })).status).toBe(404)
    const acts = (await auditOf(test)).map(({ action, outcome, deviceId }) => [action, outcome, deviceId])
    expect(acts).toContainEqual(['search:canceled', 'done', id])
    expect(acts).toContainEqual(['search:erased', 'done', id])
    expect(acts).toContainEqual(['search:canceled', 'refused', null])
  })

  it('C32: removes a group: settled searches are erased, pending ones canceled', async () => {
    await using test = await createTestCloud(kind)
    const [one, two] = [await test.register('a'), await test.register('b')]
    const { groupId } = await search(test, [one.id, two.id])
    await report(test, one.headers, { files: [file('secret.txt')] })
    expect(await test.send('DELETE', `${groups}/${groupId}`)).toMatchObject({ body: { success: true } })
    expect((await test.send('GET', `${groups}/${groupId}`)).status).toBe(404)
    expect((await test.send('DELETE', `${groups}/${groupId}`)).status).toBe(404)
    expect((await test.send('GET', groups)).body['groups']).toEqual([])
    const rows = (await test.send('GET', '/api/devices/search/query')).body.results!
    expect(rows).toMatchObject([{ device: { id: two.id }, status: 'failed', error: 'canceled' }])
    expect(rows[0]).not.toHaveProperty('groupId')
    const pending = await test.send('GET', '/api/devices/search/pending', { headers: two.headers })
    expect(pending.body.requests).toEqual([])
    expect((await auditOf(test)).map(({ action }) => action)).toContain('search-group:removed')
  })

  it('C32: records an act on several devices once, and lists it for each of them', async () => {
    await using test = await createTestCloud(kind)
    const ids = []
    for (const name of ['a', 'b', 'c']) ids.push((await test.register(name)).id)
    const { groupId } = await search(test, ids.slice(0, 2))
    const path = '/api/devices/files/upload-requests'
    await test.send('POST', path, { body: { deviceIds: ids, filePath: '/a' } })
    const acts = (await auditOf(test)).filter(({ devices }) => devices)
    expect(acts).toHaveLength(2)
    const entry = acts.find(({ action }) => action === 'search:created')
    expect(entry).toMatchObject({
      deviceId: null,
      subjectId: groupId,
      devices: { count: 2, ids: ids.slice(0, 2) },
    })
    const actionsOf = async (id: string) =>
      (await auditOf(test, `?deviceId=${id}`)).map(({ action }) => action).toSorted()
    expect(await actionsOf(ids[1]!)).toEqual(['device:registered', 'search:created', 'upload:created'])
    expect(await actionsOf(ids[2]!)).toEqual(['device:registered', 'upload:created'])
  })

  it('C32: exports all results, one row for each answer, safe for spreadsheets', async () => {
    await using test = await createTestCloud(kind)
    const [one, two] = [await test.register('laptop, "old"'), await test.register('=cmd|calc')]
    const { groupId, searches } = await search(test, [one.id, two.id])
    const app = { name: 'Editor', path: '/apps/editor', running: true }
    const system = { cpu: '8 cores', memory: '16 GB', disk: '1 TB' }
    const results = { files: [file('a.txt'), file('=b.txt')], apps: [app], system, own: ['x', { y: 1 }] }
    await report(test, one.headers, results)
    await report(test, two.headers, { files: [file('c.txt')], truncated: { files: true } })
    const [searchOne, searchTwo] = [one, two].map(
      ({ id }) => searches.find(({ deviceId }) => deviceId === id)!.id,
    )

    const csv = await test.send('GET', `${groups}/${groupId}/export?format=csv`)
    expect(csv.status).toBe(200)
    expect(csv.headers.get('content-type')).toContain('text/csv')
    expect(csv.headers.get('content-disposition')).toContain(`search-${groupId}.csv`)
    const [head, ...lines] = csv.text.trimEnd().split('\r\n')
    expect(head).toBe(
      'deviceId,deviceName,searchId,kind,path,name,size,modified,running,cpu,memory,disk,other,error',
    )
    const name = '"laptop, ""old"""'
    expect(lines.toSorted()).toEqual(
      [
        `${one.id},${name},${searchOne},file,/home/ada/a.txt,a.txt,12,${modified},,,,,,`,
        `${one.id},${name},${searchOne},file,/home/ada/=b.txt,'=b.txt,12,${modified},,,,,,`,
        `${one.id},${name},${searchOne},app,/apps/editor,Editor,,,true,,,,,`,
        `${one.id},${name},${searchOne},system,,,,,,8 cores,16 GB,1 TB,,`,
        `${one.id},${name},${searchOne},own,,,,,,,,,"{""value"":""x""}",`,
        `${one.id},${name},${searchOne},own,,,,,,,,,"{""y"":1}",`,
        `${two.id},'=cmd|calc,${searchTwo},file,/home/ada/c.txt,c.txt,12,${modified},,,,,,`,
        `${two.id},'=cmd|calc,${searchTwo},,,,,,,,,,,truncated: files`,
      ].toSorted(),
    )
    const ndjson = await test.send('GET', `${groups}/${groupId}/export?format=ndjson`)
    const rows = ndjson.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object)
    expect(rows).toHaveLength(8)
    const device = { id: one.id, name: 'laptop, "old"' }
    expect(rows).toContainEqual({ device, searchId: searchOne, kind: 'file', ...file('a.txt') })
    expect(rows).toContainEqual({ device, searchId: searchOne, kind: 'system', ...system })
    expect((await test.send('GET', `${groups}/${groupId}/export?format=xls`)).status).toBe(400)
    expect((await test.send('GET', `${groups}/nothing/export`)).status).toBe(404)
    const exports = (await auditOf(test)).filter(({ action }) => action === 'search-group:exported')
    expect(exports.map(({ outcome }) => outcome).toSorted()).toEqual(['done', 'done', 'refused'])
    expect(test.errors).toEqual([])
  })

  it('C32: rejects a filter that it does not know instead of listing everything', async () => {
    await using test = await createTestCloud(kind)
    const lists = ['search/query', 'search/groups', 'files/upload-requests', 'saved-searches']
    for (const list of lists)
      expect([list, (await test.send('GET', `/api/devices/${list}?groupIds=x`)).status]).toEqual([list, 400])
    expect((await test.send('GET', '/api/audit?device=x')).status).toBe(400)
  })

  it('C32: exports a line for each device that failed, has not answered, or did not see everything', async () => {
    await using test = await createTestCloud(kind)
    const devices = []
    for (const name of ['failed', 'pending', 'blind', 'whole']) devices.push(await test.register(name))
    const { groupId } = await search(
      test,
      devices.map(({ id }) => id),
    )
    const unread = [{ scope: 'files', reason: 'missing_root', path: '/mnt/Müller', count: 1 }]
    await report(test, devices[0]!.headers, {}, 'no disk')
    await report(test, devices[2]!.headers, { files: [], unread })
    await report(test, devices[3]!.headers, { files: [] })
    const exported = async (format: string) =>
      (await test.send('GET', `${groups}/${groupId}/export?format=${format}`)).text
    const lines = (await exported('csv')).trimEnd().split('\r\n').slice(1)
    expect(lines.map((line) => `${line.split(',')[1]}: ${line.split(',').at(-1)}`).toSorted()).toEqual([
      'blind: unread: files missing_root /mnt/Müller (1)',
      'failed: no disk',
      'pending: pending',
    ])
    const rows = (await exported('ndjson')).trimEnd().split('\n')
    expect(rows.map((row) => (JSON.parse(row) as { error: string }).error).toSorted()).toEqual([
      'no disk',
      'pending',
      'unread: files missing_root /mnt/Müller (1)',
    ])
  })
})
