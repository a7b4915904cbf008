import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createMeasures } from '../../apps/homeward/src/http/measure.ts'
import { describe, expect, it } from 'vitest'
import { createTestCloud } from './test-cloud.ts'

async function measured() {
  const { meter, read } = createMeasures()
  const test = await createTestCloud('memory', { meter, metrics: read })
  return { test, read }
}

/** Values by name and labels. */
function valuesOf(text: string): Map<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]))
}

function countOf(text: string, operation: string, status: number): number {
  for (const [series, value] of valuesOf(text)) {
    if (!series.startsWith('http_server_request_duration_seconds_count{')) continue
    if (series.includes(`homeward_operation="${operation}"`) && series.includes(`status_code="${status}"`))
      return value
  }
  return 0
}

describe.each(['fetch', 'node'] as const)('a thousand requests at the %s face', (face) => {
  it('are counted to the last one, by status', async () => {
    const { test, read } = await measured()
    await using _ = test
    const server = createServer((request, response) => void test.cloud.node(request, response))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const send = (path: string, init: RequestInit) =>
      face === 'node'
        ? fetch(base + path, init)
        : test.cloud.fetch(new Request(`http://127.0.0.1:1${path}`, init), { remoteAddress: '127.0.0.1' })
    const kinds = [
      { path: '/api/devices', init: {} },
      { path: '/api/devices/nobody/key', init: {} },
      { path: '/api/devices/heartbeat', init: { method: 'POST', headers: { authorization: 'no' } } },
      { path: '/nowhere', init: {} },
    ]
    for (let round = 0; round < 250; round += 1)
      await Promise.all(kinds.map(async ({ path, init }) => (await send(path, init)).arrayBuffer()))
    const text = await read()
    expect(countOf(text, 'listDevices', 200)).toBe(250)
    expect(countOf(text, 'revealDeviceKey', 404)).toBe(250)
    expect(countOf(text, 'none', 404)).toBe(250)
    expect(countOf(text, 'sendHeartbeat', 401) + countOf(text, 'sendHeartbeat', 429)).toBe(250)
    server.close()
  })
})

it('knows devices, searches, uploads and the store, with as many series for many devices as for one', async () => {
  const { test, read } = await measured()
  await using _ = test
  const work = async () => {
    const { id, headers } = await test.register()
    const body = { metadata: { os: 'Linux', version: '1', hardware: 'x' } }
    await test.send('POST', '/api/devices/heartbeat', { body, headers })
    const created = await test.send('POST', '/api/devices/search/query', {
      body: { query: 'x', scope: ['files'], deviceIds: [id] },
    })
    const [search] = created.body['searchQueries'] as { id: string }[]
    await test.send('POST', '/api/devices/search', {
      body: { queryId: search?.id, results: {} },
      headers,
    })
    return [id, search?.id ?? '']
  }
  const ids = await work()
  await read()
  const first = valuesOf(await read())
  expect(first.get('homeward_devices_online')).toBe(1)
  expect(first.get('homeward_searches_settled_total{status="completed",outcome="completed"}')).toBe(1)
  expect(first.get('homeward_searches_wait_seconds_count')).toBe(1)
  expect(first.get('homeward_heartbeats_waiting')).toBe(1)
  expect(first.get('homeward_polls_held')).toBe(0)
  expect(first.get('homeward_store_duration_seconds_count{homeward_verb="countPending"}')).toBe(1)
  for (let device = 0; device < 20; device += 1) ids.push(...(await work()))
  const text = await read()
  const last = valuesOf(text)
  expect(last.get('homeward_devices_online')).toBe(21)
  expect([...last.keys()].filter((series) => !first.has(series))).toEqual([])
  for (const id of ids) expect(text).not.toContain(id)
})

it('is read with a session or a token that may read, and by nobody else', async () => {
  const { test } = await measured()
  await using _ = test
  const answer = await test.send('GET', '/metrics')
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ])
  const tokenFor = async (may: readonly string[]) => {
    const { body } = await test.send('POST', '/api/tokens', { body: { name: may.join(), may } })
    return { authorization: `Bearer ${String(body['secret'] ?? body['token'])}` }
  }
  expect((await test.send('GET', '/metrics', { headers: await tokenFor(['read']) })).status).toBe(200)
  expect((await test.send('GET', '/metrics', { headers: await tokenFor(['search']) })).status).toBe(403)
  const { headers } = await test.register()
  expect((await test.send('GET', '/metrics', { headers })).status).toBe(401)
})

it('a host that does not measure answers 501 and says what is missing', async () => {
  await using test = await createTestCloud('memory')
  const answer = await test.send('GET', '/metrics')
  expect([answer.status, answer.body['message']]).toEqual([
    501,
    'This server collects no metrics. Pass the option "metrics".',
  ])
})
