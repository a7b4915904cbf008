import type { AuditEntry } from '@homeward/contract/device-cloud'
import { describe, expect, it } from 'vitest'
import { createTestCloud, storeKinds, type Row, type TestCloud } from './test-cloud.ts'

const path = '/api/devices/saved-searches'
const groups = '/api/devices/search/groups'
const hour = 3_600_000
const fields = { name: 'Leaked keys', query: '*.pem', scope: ['files', 'apps'], filter: {} }

async function save(test: TestCloud, more: object = {}): Promise<Row> {
  const answer = await test.send('POST', path, { body: { ...fields, ...more } })
  expect(answer.status).toBe(201)
  return answer.body['savedSearch'] as Row
}

/** Answers the one pending search of a device. */
async function report(test: TestCloud, headers: Record<string, string>, results: object | null, error = '') {
  const list = () => test.send('GET', '/api/devices/search/pending', { headers })
  await expect.poll(async () => (await list()).body.requests!.length).toBe(1)
  const body = { queryId: (await list()).body.requests![0]!.id, results, error }
  await test.send('POST', '/api/devices/search', { body, headers })
}

const groupsOf = async (test: TestCloud) =>
  (await test.send('GET', groups)).body['groups'] as { id: string; savedSearchId: string; total: number }[]

const file = (name: string, size = 1) => ({ path: `/${name}`, name, size, modified: '2026-01-01T00:00:00Z' })

describe.each(storeKinds)('saved searches over %s', (kind) => {
  it('C32: are created, listed, replaced and deleted', async () => {
    await using test = await createTestCloud(kind)
    const saved = await save(test, {
      filter: { labels: ['laptops'] },
      schedule: '0 9 * * 1-5',
      timezone: 'Europe/Vienna',
    })
    expect(saved).toEqual({
      id: expect.any(String),
      ...fields,
      filter: { labels: ['laptops'] },
      schedule: '0 9 * * 1-5',
      timezone: 'Europe/Vienna',
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-01T00:00:00.000Z',
      nextRunAt: '2026-01-01T08:00:00.000Z',
    })
    expect((await test.send('GET', path)).body['savedSearches']).toEqual([saved])
    expect((await test.send('GET', `${path}/${saved.id}`)).body).toEqual({ savedSearch: saved })
    test.advance(1000)
    const changed = await test.send('PUT', `${path}/${saved.id}`, { body: { ...fields, name: 'Other' } })
    expect(changed.body['savedSearch']).toEqual({
      id: saved.id,
      ...fields,
      name: 'Other',
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-01T00:00:01.000Z',
    })
    expect((await test.send('DELETE', `${path}/${saved.id}`)).body).toEqual({ success: true })
    for (const [method, rest] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/run'],
      ['GET', '/changes'],
    ] as const)
      expect((await test.send(method, `${path}/${saved.id}${rest}`)).status).toBe(404)
    const audit = (await test.send('GET', '/api/audit')).body['entries'] as AuditEntry[]
    const done = audit.filter(({ outcome }) => outcome === 'done').map(({ action }) => action)
    expect(done.toSorted()).toEqual(['saved-search:changed', 'saved-search:created', 'saved-search:deleted'])
    expect(JSON.stringify(audit)).not.toContain('pem')
  })

  it.each([
    [{ schedule: 'every day' }, 'schedule'],
    [{ schedule: '0 9 * * *', timezone: 'Mars/Base' }, 'timezone'],
    [{ schedule: '0 0 31 2 *' }, 'schedule'],
    [{ schedule: '* * * * * *' }, 'schedule'],
    [{ schedule: '0,30 0 9 * * *' }, 'schedule'],
    [{ filter: undefined }, 'filter'],
    [{ filter: { colour: 'red' } }, 'filter'],
    [{ name: ' ' }, 'name'],
  ])('C32: rejects %j, and names the field', async (more, field) => {
    await using test = await createTestCloud(kind)
    const answer = await test.send('POST', path, { body: { ...fields, ...more } })
    expect(answer.status).toBe(400)
    expect(answer.body.message).toContain(field)
  })

  it('C20, C32: runs when it is told to, once under one Idempotency-Key, on the devices there are then', async () => {
    await using test = await createTestCloud(kind)
    const saved = await save(test)
    await test.register('a')
    await test.register('b')
    const headers = { 'idempotency-key': 'k' }
    const run = () => test.send('POST', `${path}/${saved.id}/run`, { headers })
    const first = await run()
    expect(first.status).toBe(200)
    expect((await run()).body).toEqual(first.body)
    const groupId = String(first.body['groupId'])
    expect(await groupsOf(test)).toMatchObject([{ id: groupId, savedSearchId: saved.id, total: 2 }])
    const rows = async () =>
      (await test.send('GET', `/api/devices/search/query?groupId=${groupId}`)).body.results!
    await expect.poll(async () => (await rows()).length).toBe(2)
    expect((await rows())[0]).toMatchObject({ query: '*.pem', scope: ['files', 'apps'], status: 'pending' })
  })

  it('C32: runs by its schedule, and once for all times that were missed', async () => {
    await using test = await createTestCloud(kind)
    await test.register()
    await save(test, { schedule: '0 * * * *' })
    const look = async () => {
      // any request makes the cloud look again, as its timer would
      await save(test, { name: 'other', schedule: '0 0 1 1 *' })
      return (await groupsOf(test)).length
    }
    expect(await look()).toBe(0)
    test.advance(hour)
    await expect.poll(look).toBe(1)
    test.advance(5 * hour + 60_000)
    await expect.poll(look).toBe(2)
    expect(await look()).toBe(2)
    test.advance(hour)
    await expect.poll(look).toBe(3)
    const acts = (await test.send('GET', '/api/audit?action=search:created')).body['entries'] as AuditEntry[]
    expect(acts).toHaveLength(3)
    expect(acts[0]).toMatchObject({ actor: 'schedule', name: 'Leaked keys', devices: { count: 1 } })
    expect(test.errors).toEqual([])
  })

  it('C32: tells what changed between the last two runs, device by device', async () => {
    await using test = await createTestCloud(kind)
    const saved = await save(test)
    const devices = [await test.register('a'), await test.register('b'), await test.register('c')]
    const changes = async (query = '') => (await test.send('GET', `${path}/${saved.id}/changes${query}`)).body
    const run = async (answers: (object | null)[]) => {
      await test.send('POST', `${path}/${saved.id}/run`)
      for (const [index, results] of answers.entries())
        await report(test, devices[index]!.headers, results, results === null ? 'off' : '')
      test.advance(1000)
    }
    await run([{ files: [file('old'), file('same')] }, { files: [file('b')] }, null])
    expect(await changes()).toEqual({ changes: [] })
    devices.push(await test.register('d'))
    const app = { name: 'App', path: '/app', running: true }
    await run([
      { files: [{ ...file('same') }, file('new')], apps: [app] },
      { files: [file('b')] },
      { files: [file('c')] },
      { files: [file('d')] },
    ])
    const found = (await changes())['changes'] as { device: { name: string } }[]
    expect(found.toSorted((a, b) => (a.device.name < b.device.name ? -1 : 1))).toEqual([
      {
        device: { id: devices[0]!.id, name: 'a' },
        added: [
          { scope: 'files', ...file('new') },
          { scope: 'apps', ...app },
        ],
        removed: [{ scope: 'files', ...file('old') }],
        changed: [],
      },
      {
        device: { id: devices[3]!.id, name: 'd' },
        added: [{ scope: 'files', ...file('d') }],
        removed: [],
        changed: [],
      },
    ])
    await run([
      {
        files: [file('same', 2), file('new')],
        unread: [{ scope: 'files', reason: 'denied', path: '/x', count: 2 }],
      },
      { files: [file('b')] },
    ])
    expect((await changes())['changes']).toEqual([
      {
        device: { id: devices[0]!.id, name: 'a' },
        added: [],
        removed: [{ scope: 'apps', ...app }],
        changed: [
          { before: { scope: 'files', ...file('same') }, after: { scope: 'files', ...file('same', 2) } },
        ],
        partial: true,
      },
    ])
  })

  it('C32: gives changes page by page', async () => {
    await using test = await createTestCloud(kind)
    const saved = await save(test)
    const devices = [await test.register('a'), await test.register('b')]
    const changes = async (query = '') => (await test.send('GET', `${path}/${saved.id}/changes${query}`)).body
    for (const name of ['one', 'two']) {
      await test.send('POST', `${path}/${saved.id}/run`)
      for (const { headers } of devices) await report(test, headers, { files: [file(name)] })
      test.advance(1000)
    }
    const found = (await changes())['changes']
    expect(found).toHaveLength(2)
    const pages = []
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const page = await changes(`?limit=1${cursor && `&cursor=${cursor}`}`)
      pages.push(...(page['changes'] as object[]))
      cursor = page.nextCursor
    }
    expect(pages).toEqual(found)
    expect(test.errors).toEqual([])
  })
})
