import { expect, it } from 'vitest'
import { createMemoryBlobs } from '../blobs/memory/index.ts'
import { createDeviceCloud } from '../cloud/create-device-cloud.ts'
import { createMemoryStore } from '../memory/index.ts'
import type { BlobStore } from '../ports/blob-store.ts'
import type { CloudStore } from '../ports/cloud-store.ts'
import { createSingleUserSessions } from '../sessions/single-user-sessions.ts'

const user = { userId: 'local' }
const large = {
  files: [{ path: '/ö', name: 'ö \ud83d', size: 1, modified: '2026-01-01T00:00:00Z' }],
  note: 'x'.repeat(5000),
}
const day = 24 * 60 * 60 * 1000

/** A cloud that writes results above 4 kB to files, with a device and a search for it. */
async function start(changes: Partial<CloudStore> = {}) {
  let nowMs = Date.UTC(2026, 0, 1)
  const store = { ...createMemoryStore(), ...changes }
  const files = new Map<string, number>()
  const memory = createMemoryBlobs()
  const blobs: BlobStore = {
    ...memory,
    async put(blob) {
      const stored = await memory.put(blob)
      files.set(blob.id, nowMs)
      return stored
    },
    async delete(id) {
      files.delete(id)
      await memory.delete(id)
    },
    async *list(storedBefore) {
      for (const [id, atMs] of files) if (atMs < Date.parse(storedBefore)) yield id
    },
  }
  const ids = () => [...files.keys()]
  const errors: unknown[] = []
  const cloud = createDeviceCloud({
    store,
    blobs,
    sessions: createSingleUserSessions(),
    maxRowResultBytes: 4000,
    now: () => nowMs,
    onError: (error) => errors.push(error),
  })
  const registration = { name: 'd', type: 'server', platform: 'linux', metadata: {} } as const
  const { device, apiKey } = await cloud.registerDevice(user, registration)
  const search = async () => {
    const asked = await cloud.createSearches(user, { query: 'q', scope: ['files'], deviceIds: [device.id] })
    return asked.searchQueries[0]!.id
  }
  const report = async (queryId: string, results: object) => {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify({ queryId, results }) }
    return (await cloud.fetch(new Request('http://127.0.0.1/api/devices/search', init))).status
  }
  const list = async () => (await cloud.listSearches(user)).results.map(({ results }) => results)
  const wait = (ms: number) => void (nowMs += ms)
  return { cloud, store, blobs, ids, errors, device, search, report, list, wait }
}

it('writes large results to a file, small ones to the row, and gives both back alike', async () => {
  const test = await start()
  const [first, second] = [await test.search(), await test.search()]
  expect([await test.report(first, large), await test.report(second, { files: [] })]).toEqual([200, 200])
  expect(await test.list()).toEqual(expect.arrayContaining([large, { files: [] }]))
  const { rows } = await test.store.listSearches('local', {}, { limit: 9 }, '2026-01-02T00:00:00.000Z')
  expect(rows.map(({ results }) => results)).toEqual(expect.arrayContaining([null, { files: [] }]))
  expect(test.ids()).toHaveLength(1)
  await test.cloud.deleteDevice(user, test.device.id)
  expect(test.ids()).toEqual([])
})

it('C9: keeps the file of the first report only', async () => {
  const test = await start()
  const id = await test.search()
  const statuses = [await test.report(id, large), await test.report(id, { ...large, again: 1 })]
  expect([...statuses, await test.report('unknown', large)]).toEqual([200, 200, 404])
  expect(await test.list()).toEqual([large])
  expect(test.ids()).toHaveLength(1)
})

it('removes a file that a crash left without its search, a day later', async () => {
  const memory = createMemoryStore()
  let isBroken = true
  const settleSearch: CloudStore['settleSearch'] = async (report) => {
    if (isBroken) throw new Error('The process ended here')
    return memory.settleSearch(report)
  }
  const test = await start({ ...memory, settleSearch })
  const id = await test.search()
  expect(await test.report(id, large)).toBe(500)
  isBroken = false
  expect(await test.report(id, large)).toBe(200)
  expect(test.ids()).toHaveLength(2)
  test.wait(2 * day)
  await test.report(await test.search(), large)
  await expect.poll(test.ids).toHaveLength(2)
  expect(await test.list()).toEqual([large, large])
})

it('shows no results of a search whose file is gone', async () => {
  const test = await start()
  await test.report(await test.search(), large)
  await test.blobs.delete(test.ids()[0]!)
  expect(await test.list()).toEqual([null])
  expect(test.errors).toEqual([])
})
