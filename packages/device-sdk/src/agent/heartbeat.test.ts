import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { search, list } from './testing/fake-cloud.ts'
import { apiKey, buildAgent } from './testing/start-agent.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

const denied = () => Response.json({ error: 'Invalid or missing API key' }, { status: 401 })
const down = () => new Response('<html>', { status: 503 })
const minute = 60_000

it('The agent: sends a heartbeat first, then both polls, each every 30 s', async () => {
  const { cloud, agent } = buildAgent()
  agent.start()
  await vi.advanceTimersByTimeAsync(0)
  expect(cloud.hits.map(({ path }) => path)).toEqual([
    '/api/devices/heartbeat',
    '/api/devices/search/pending',
    '/api/devices/files/upload-requests/pending',
  ])
  expect(cloud.hits[0]).toMatchObject({ authorization: `Bearer ${apiKey}`, body: { metadata: {} } })
  await vi.advanceTimersByTimeAsync(90_000)
  expect(cloud.to('beat')).toHaveLength(4)
  expect(cloud.to('searches')).toHaveLength(4)
  expect(cloud.to('uploads')).toHaveLength(4)
  await agent.stop()
})

it('C21: hints of another shape in a heartbeat response stop nothing', async () => {
  const odd = [
    { pending: 3 },
    { pending: null },
    { nextHeartbeatInSeconds: 0 },
    { pending: [], nextHeartbeatInSeconds: 'soon' },
  ]
  let beats = 0
  const beat = () => Response.json({ success: true, status: 'online', ...odd[beats++ % odd.length] })
  const { cloud, agent, of } = buildAgent({ beat })
  agent.start()
  await vi.advanceTimersByTimeAsync(90_000)
  expect(cloud.to('beat')).toHaveLength(4)
  expect(cloud.to('searches')).toHaveLength(4)
  expect(of('heartbeat:error')).toEqual([])
  await agent.stop()
})

it('Back-off: comes back within 20 minutes when a proxy asks for a day', async () => {
  const day = () => new Response('<html>', { status: 503, headers: { 'retry-after': '86400' } })
  const { cloud, agent, of } = buildAgent({ beat: day })
  agent.start()
  await vi.advanceTimersByTimeAsync(20 * minute)
  expect(cloud.to('beat').length).toBeGreaterThan(1)
  expect(of('heartbeat:error')[0]).toMatchObject({ error: { code: 'SERVER_FAILED', status: 503 } })
  await agent.stop()
})

it('Back-off: asks for no work before a heartbeat succeeded, and doubles its pause', async () => {
  const { cloud, agent, of } = buildAgent({ beat: down })
  agent.start()
  await vi.advanceTimersByTimeAsync(5000 + 10_000 + 20_000)
  expect(cloud.hits.map(({ atMs }) => atMs - cloud.hits[0]!.atMs)).toEqual([0, 5000, 15_000, 35_000])
  expect(of('heartbeat:error').map(({ retryInMs }) => retryInMs)).toEqual([5000, 10_000, 20_000, 40_000])
  expect(cloud.to('beat')).toHaveLength(4)
  expect(cloud.hits).toHaveLength(4)
  await agent.stop()
})

it('C16: stops all work on 401, probes after 5 minutes and doubles up to 30', async () => {
  const { cloud, agent, of, events } = buildAgent()
  agent.start()
  await vi.advanceTimersByTimeAsync(1000)
  for (const route of ['beat', 'searches', 'uploads'] as const) cloud.routes[route] = denied
  await vi.advanceTimersByTimeAsync(60_000)
  const before = cloud.hits.length
  await vi.advanceTimersByTimeAsync((5 + 10 + 20 + 30 + 30) * minute)
  const probes = cloud.hits.slice(before)
  expect(probes.every(({ path }) => path === '/api/devices/heartbeat')).toBe(true)
  expect(of('unauthorized').map(({ probeInMs }) => probeInMs / minute)).toEqual([5, 10, 20, 30, 30, 30])
  expect(probes).toHaveLength(5)
  expect(JSON.stringify(events)).not.toContain(apiKey)
  await agent.stop()
})

it('C16: is only as fast when a probe fails in another way', async () => {
  let beats = 0
  const { cloud, agent } = buildAgent({ beat: () => (++beats === 1 ? denied() : down()) })
  agent.start()
  await vi.advanceTimersByTimeAsync(15 * minute + 1)
  expect(cloud.hits.map(({ atMs }) => Math.round((atMs - cloud.hits[0]!.atMs) / minute))).toEqual([0, 5, 15])
  await agent.stop()
})

it('C16: resumes as soon as the key source yields another key', async () => {
  let current = 'hw_old'
  const { cloud, agent, names } = buildAgent(
    {
      beat: ({ authorization }) =>
        authorization === 'Bearer hw_new' ? Response.json({ success: true, status: 'online' }) : denied(),
    },
    { apiKey: () => current },
  )
  agent.start()
  await vi.advanceTimersByTimeAsync(2 * minute)
  expect(cloud.hits).toHaveLength(1)
  current = 'hw_new'
  await vi.advanceTimersByTimeAsync(30_000)
  expect(names()).toContain('authorized')
  expect(cloud.to('beat').map(({ authorization }) => authorization)).toEqual([
    'Bearer hw_old',
    'Bearer hw_new',
  ])
  expect(cloud.to('searches')).toHaveLength(1)
  await agent.stop()
})

it('C16: keeps a result while its key is refused and sends it with the next one', async () => {
  let current = 'hw_old'
  const { cloud, agent } = buildAgent(
    {
      searches: ({ authorization }) => list(authorization === 'Bearer hw_old' ? [search('q')] : []),
      report: (hit) =>
        hit.authorization === 'Bearer hw_old'
          ? denied()
          : Response.json({ success: true, queryId: 'q', status: 'completed' }),
    },
    { apiKey: () => current },
  )
  agent.start()
  await vi.advanceTimersByTimeAsync(1000)
  current = 'hw_new'
  await vi.advanceTimersByTimeAsync(40_000)
  expect(cloud.to('report').map(({ authorization }) => authorization)).toEqual([
    'Bearer hw_old',
    'Bearer hw_new',
  ])
  await agent.stop()
})

it('C21: follows the pace that the cloud names', async () => {
  const { cloud, agent } = buildAgent({
    beat: () => Response.json({ success: true, status: 'online', nextHeartbeatInSeconds: 60 }),
  })
  agent.start()
  await vi.advanceTimersByTimeAsync(120_000)
  expect(cloud.to('beat')).toHaveLength(3)
  expect(cloud.to('searches')).toHaveLength(5)
  await agent.stop()
})

it.each([
  { seconds: 0.000001, forMs: 120_000, atMost: 121 },
  { seconds: 1e12, forMs: 3_600_000, atMost: 2 },
])('C21: keeps to a sane pace when the cloud names $seconds seconds', async ({ seconds, forMs, atMost }) => {
  const { cloud, agent } = buildAgent({
    beat: () => Response.json({ success: true, status: 'online', nextHeartbeatInSeconds: seconds }),
  })
  agent.start()
  await vi.advanceTimersByTimeAsync(forMs)
  expect(cloud.to('beat').length).toBeGreaterThan(1)
  expect(cloud.to('beat').length).toBeLessThanOrEqual(atMost)
  await agent.stop()
})

it('C21: polls when the cloud says that work waits, and not while it says that none does', async () => {
  let searches = 0
  const { cloud, agent } = buildAgent({
    beat: () => Response.json({ success: true, status: 'online', pending: { searches, uploads: 0 } }),
  })
  agent.start()
  await vi.advanceTimersByTimeAsync(10 * minute)
  expect(cloud.to('searches')).toHaveLength(1)
  searches = 1
  await vi.advanceTimersByTimeAsync(30_000)
  expect(cloud.to('searches')).toHaveLength(2)
  expect(cloud.to('uploads')).toHaveLength(1)
  await agent.stop()
})

it('stays online when its facts cannot be told or take too long', async () => {
  for (const metadata of [() => Promise.reject(new Error('no facts')), () => new Promise<never>(() => {})]) {
    const { cloud, agent } = buildAgent({}, { metadata })
    agent.start()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(cloud.to('beat')).toHaveLength(1)
    await agent.stop()
  }
})

it('Back-off: spreads the first beat over the interval when asked to', async () => {
  const { cloud, agent } = buildAgent({}, { spreadFirstHeartbeat: true })
  agent.start()
  await vi.advanceTimersByTimeAsync(14_999)
  expect(cloud.hits).toHaveLength(0)
  await vi.advanceTimersByTimeAsync(1)
  expect(cloud.to('beat')).toHaveLength(1)
  await agent.stop()
})

it('survives listeners that throw, and tells the other listeners', async () => {
  const { agent, cloud, of } = buildAgent()
  agent.on('heartbeat:end', () => {
    throw new Error('broken listener')
  })
  const later = vi.fn()
  agent.on('heartbeat:end', later)
  agent.start()
  await vi.advanceTimersByTimeAsync(30_000)
  expect(cloud.to('beat')).toHaveLength(2)
  expect(later).toHaveBeenCalledTimes(2)
  expect(of('listener:error')).toHaveLength(2)
  await agent.stop()
})

it('declares the scopes that the policy lets be searched, unless the metadata has its own list', async () => {
  const beatOf = async (settings: Parameters<typeof buildAgent>[1]) => {
    const { cloud, agent } = buildAgent({}, settings)
    await agent.runOnce()
    return (cloud.to('beat')[0]!.body as { metadata: unknown }).metadata
  }
  const found = () => Promise.resolve({ found: [] })
  const providers = { files: found, content: found, printers: found }
  const metadata = { os: 'Linux' }
  const plain = await beatOf({ providers, metadata })
  expect(plain).toEqual({ os: 'Linux', scopes: [{ name: 'files' }, { name: 'printers' }] })
  const open = await beatOf({ providers, policy: { contentSearch: true, scopes: ['content'] } })
  expect(open).toEqual({ scopes: [{ name: 'content' }] })
  const own = { scopes: [{ name: 'printers', title: 'Printers' }] }
  expect(await beatOf({ providers, metadata: own })).toEqual(own)
  expect(await beatOf({ providers: {} })).toEqual({})
})
