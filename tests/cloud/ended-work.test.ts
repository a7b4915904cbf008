import { describe, expect, it } from 'vitest'
import { createTestCloud, storeKinds, type TestCloud } from './test-cloud.ts'

async function start(kind: (typeof storeKinds)[number]) {
  const delivered: string[] = []
  const test = await createTestCloud(kind, {
    webhooks: {
      check: async () => undefined,
      async send({ body }) {
        delivered.push(body)
        return { status: 204 }
      },
    },
  })
  await test.send('POST', '/api/webhooks', {
    body: { url: 'https://a.example/', events: ['search.settled', 'upload.settled', 'group.settled'] },
  })
  const ended: string[] = []
  const { events } = test.cloud
  events.on('search:settled', ({ searchId, outcome }) => void ended.push(`${searchId} ${outcome}`))
  events.on('upload:settled', ({ requestId, outcome }) => void ended.push(`${requestId} ${outcome}`))
  events.on('group:settled', ({ groupId, outcome }) => void ended.push(`${groupId} ${outcome}`))
  const device = await test.register()
  const body = { query: 'a', scope: ['files'], deviceIds: [device.id], ttlSeconds: 60 }
  const search = await test.send('POST', '/api/devices/search/query', { body })
  const asked = { filePath: '/a', deviceIds: [device.id] }
  const upload = await test.send('POST', '/api/devices/files/upload-requests', { body: asked })
  const ids = {
    search: search.body.searchQueries![0]!.id,
    group: String(search.body['groupId']),
    upload: upload.body.uploadRequests![0]!.id,
  }
  return { test, device, ended, delivered, ids }
}

const report = (test: TestCloud, headers: Record<string, string>, queryId: string) =>
  test.send('POST', '/api/devices/search', { headers, body: { queryId, results: {} } })

describe.each(storeKinds)('work that ends, over %s', (kind) => {
  it('tells how a reported search ended, once', async () => {
    const { test, device, ended, ids } = await start(kind)
    await using _ = test
    await report(test, device.headers, ids.search)
    await report(test, device.headers, ids.search)
    await expect
      .poll(() => ended, { timeout: 5000 })
      .toEqual([`${ids.search} completed`, `${ids.group} completed`])
  })

  it('tells what was canceled, by itself or with its group', async () => {
    const { test, ended, ids } = await start(kind)
    await using _ = test
    await test.send('DELETE', `/api/devices/files/upload-requests/${ids.upload}`)
    await test.send('DELETE', `/api/devices/search/groups/${ids.group}`)
    const canceled = [ids.upload, ids.search, ids.group].map((id) => `${id} canceled`)
    await expect.poll(() => ended).toEqual(canceled)
  })

  it('tells what ended because its device was deleted, also to webhooks', async () => {
    const { test, device, ended, delivered, ids } = await start(kind)
    await using _ = test
    await test.send('DELETE', `/api/devices/${device.id}`)
    expect(ended).toEqual([`${ids.search} removed`, `${ids.upload} removed`])
    const removed = () => delivered.filter((body) => body.includes('"removed"')).length
    await expect.poll(removed, { timeout: 5000 }).toBe(2)
  })
})

it('C10: tells what expired within a minute, once, also to webhooks', async () => {
  const timers = new Set<{ readonly run: () => void }>()
  let nowMs = Date.UTC(2026, 0, 1)
  const ended: string[] = []
  await using test = await createTestCloud('sqlite', {
    now: () => nowMs,
    timers: {
      setTimeout(run) {
        const timer = { run }
        timers.add(timer)
        return timer
      },
      clearTimeout: (timer) => void timers.delete(timer as { readonly run: () => void }),
    },
  })
  test.cloud.events.on('search:settled', ({ searchId, outcome }) => void ended.push(`${searchId} ${outcome}`))
  test.cloud.events.on('group:settled', ({ outcome }) => void ended.push(`group ${outcome}`))
  test.cloud.events.on('upload:settled', ({ outcome }) => void ended.push(`upload ${outcome}`))
  const { id } = await test.register()
  const body = { query: 'a', scope: ['files'], deviceIds: [id], ttlSeconds: 60 }
  const made = await test.send('POST', '/api/devices/search/query', { body })
  await test.send('POST', '/api/devices/files/upload-requests', { body: { filePath: '/a', deviceIds: [id] } })
  const pass = async (ms: number) => {
    nowMs += ms
    const due = [...timers]
    timers.clear()
    for (const timer of due) timer.run()
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  }
  await pass(59_000)
  expect(ended).toEqual([])
  await pass(2000)
  await pass(2000)
  const search = `${made.body.searchQueries![0]!.id} expired`
  expect(ended.toSorted()).toEqual([search, 'group expired'].toSorted())
  await pass(24 * 3_600_000)
  await pass(2000)
  expect(ended.toSorted()).toEqual([search, 'group expired', 'upload expired'].toSorted())
})
