import type { AuditEntry } from '@homeward/contract/device-cloud'
import { createDeviceCloud, createSingleUserSessions } from '@homeward/cloud-core'
import { createMemoryBlobs } from '@homeward/cloud-core/blobs/memory'
import { createMemoryStore } from '@homeward/cloud-core/memory'
import { describe, expect, it } from 'vitest'
import { createTestCloud, storeKinds, type TestCloud } from './test-cloud.ts'

const path = '/api/devices/search/query'
const groups = '/api/devices/search/groups'
const body = (more: object) => ({ query: 'notes', scope: ['files'], ...more })

interface Counts {
  readonly pending: number
  readonly completed: number
  readonly failed: number
}

async function groupOf(test: TestCloud, id: string) {
  return (await test.send('GET', `${groups}/${id}`)).body['group'] as { total: number; counts: Counts }
}

/** Registers devices straight in the store, and gives their ids. */
async function fill(test: Pick<TestCloud, 'store'>, count: number, owner = 'local'): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, index) => `d${String(index).padStart(5, '0')}`)
  for (const [index, id] of ids.entries()) {
    await test.store.insertDevice(
      {
        id,
        owner,
        name: id,
        type: 'server',
        platform: 'linux',
        metadata: {},
        lastSeenAt: null,
        createdAt: new Date(Date.UTC(2025, 0, 1) + Math.floor(index / 7) * 1000).toISOString(),
        key: { hash: `hash-${id}`, hint: '', sealed: null },
        labels: [index % 2 === 0 ? 'even' : 'odd'],
      },
      undefined,
    )
  }
  return ids
}

async function allRows(test: TestCloud, groupId: string): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | undefined = ''
  while (cursor !== undefined) {
    const query = `groupId=${groupId}&limit=500${cursor && `&cursor=${cursor}`}`
    const answer = await test.send('GET', `${path}?${query}`)
    ids.push(...answer.body.results!.map((row) => (row['device'] as { id: string }).id))
    cursor = answer.body.nextCursor
  }
  return ids
}

describe.each(storeKinds)('searches by a filter over %s', (kind) => {
  it('C32: takes device ids or a filter, never both and never none', async () => {
    await using test = await createTestCloud(kind)
    const { id } = await test.register()
    for (const target of [
      {},
      { deviceIds: [id], filter: {} },
      { filter: { colour: 'red' } },
      { deviceIds: [] },
    ]) {
      for (const [list, more] of [
        [path, body(target)],
        ['/api/devices/files/upload-requests', { filePath: '/a', ...target }],
      ] as const)
        expect((await test.send('POST', list, { body: more })).status, JSON.stringify(target)).toBe(400)
    }
    const both = await test.send('POST', path, { body: body({ deviceIds: [id], filter: {} }) })
    expect(both.body.message).toContain('deviceIds')
    expect(test.errors).toEqual([])
  })

  it('C32: searches the devices that a filter matches, and makes an empty group where none does', async () => {
    await using test = await createTestCloud(kind)
    const ids = await fill(test, 6)
    const found = await test.send('POST', path, { body: body({ filter: { labels: ['even'] } }) })
    const searches = found.body.searchQueries as unknown as { deviceId: string }[]
    expect(searches.map(({ deviceId }) => deviceId).toSorted()).toEqual([ids[0], ids[2], ids[4]])
    const group = await groupOf(test, String(found.body['groupId']))
    expect(group).toMatchObject({ total: 3, filter: { labels: ['even'] } })
    const none = await test.send('POST', path, { body: body({ filter: { type: 'toaster' } }) })
    expect(none).toMatchObject({ status: 201, body: { success: true, searchQueries: [] } })
    expect(await groupOf(test, String(none.body['groupId']))).toMatchObject({ total: 0 })
    const files = { filePath: '/a', filter: { labels: ['odd'] } }
    const asked = await test.send('POST', '/api/devices/files/upload-requests', { body: files })
    expect(asked.body.uploadRequests).toHaveLength(3)
    const audit = (await test.send('GET', '/api/audit?action=search:created')).body['entries'] as AuditEntry[]
    expect(new Set(audit.map(({ devices }) => devices?.count))).toEqual(new Set([0, 3]))
    expect(audit.find(({ devices }) => devices?.count === 3)?.devices?.filter).toEqual({ labels: ['even'] })
  })

  it('C32: makes the rows beyond 1,000 in the background, each device once, with counts that add up', async () => {
    await using test = await createTestCloud(kind)
    const ids = await fill(test, 2300)
    const answer = await test.send('POST', path, { body: body({ filter: {} }) })
    expect(answer.body.searchQueries).toHaveLength(1000)
    expect(answer.body.message).toContain('2300')
    const groupId = String(answer.body['groupId'])
    const seen: number[] = []
    await expect
      .poll(async () => {
        const { total, counts } = await groupOf(test, groupId)
        seen.push(total)
        expect(counts).toEqual({ pending: 2300, completed: 0, failed: 0 })
        return (await allRows(test, groupId)).length
      })
      .toBe(2300)
    expect(new Set(seen)).toEqual(new Set([2300]))
    expect((await allRows(test, groupId)).toSorted()).toEqual(ids)
    const upload = { filePath: '/a', filter: {} }
    const asked = await test.send('POST', '/api/devices/files/upload-requests', { body: upload })
    const requests = `/api/devices/files/upload-requests?groupId=${String(asked.body['groupId'])}&deviceId=${ids[0]}`
    await expect.poll(async () => (await test.send('GET', requests)).body.results!.length).toBe(1)
    expect(await test.send('DELETE', `${groups}/${groupId}`)).toMatchObject({ body: { success: true } })
    const rest = await test.send('GET', `${path}?status=pending`)
    expect(rest.body.results).toEqual([])
    expect(test.errors).toEqual([])
  })

  it('C20: a repeat under one Idempotency-Key creates nothing, also when the filter matches others by then', async () => {
    await using test = await createTestCloud(kind)
    await fill(test, 2)
    const headers = { 'idempotency-key': 'k' }
    const send = () => test.send('POST', path, { body: body({ filter: {} }), headers })
    const first = await send()
    await test.register()
    expect((await send()).body).toEqual(first.body)
    expect((await test.send('GET', groups)).body['groups']).toHaveLength(1)
  })
})

it('C32: another process goes on with a group when the one at work is gone, and doubles no device', async () => {
  const shared = createMemoryStore()
  const store = { ...shared, close: async () => {} }
  const ids = await fill({ store }, 1700)
  let nowMs = Date.UTC(2026, 0, 1)
  const open = (extendGroup: typeof store.extendGroup) =>
    createDeviceCloud({
      store: { ...store, extendGroup },
      blobs: createMemoryBlobs(),
      sessions: createSingleUserSessions(),
      now: () => nowMs,
    })
  let batches = 0
  const dying = open(async (extension) => {
    batches += 1
    if (batches > 2) return new Promise(() => {}) // killed
    return store.extendGroup(extension)
  })
  const user = { userId: 'local' }
  const { groupId } = await dying.createSearches(user, { query: 'q', scope: ['files'], filter: {} })
  await expect.poll(() => batches).toBe(3)
  const { group } = await dying.getSearchGroup(user, groupId)
  expect(group).toMatchObject({ total: 1700, counts: { pending: 1700 } })

  nowMs += 60_000
  const successor = open((extension) => store.extendGroup(extension))
  await successor.fetch(new Request('http://127.0.0.1/api/devices'), { remoteAddress: '127.0.0.1' })
  const listed = async () => {
    const page = await shared.listSearches(
      'local',
      { groupId },
      { limit: 5000 },
      new Date(nowMs).toISOString(),
    )
    return page.rows.map(({ deviceId }) => deviceId)
  }
  await expect.poll(async () => (await listed()).length).toBe(1700)
  expect((await listed()).toSorted()).toEqual(ids)
  await successor.close()
})
