import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { after, type FakeAnswer, list, search, upload } from './testing/fake-cloud.ts'
import { buildAgent } from './testing/start-agent.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

const held: FakeAnswer = (_, signal) => after(50_000, () => list([], true), signal)

it('C22: asks to be held, and keeps a poll open while the cloud does', async () => {
  const { cloud, agent } = buildAgent({ searches: held, uploads: held })
  agent.start()
  await vi.advanceTimersByTimeAsync(500_000 - 1)
  expect(cloud.to('searches')).toHaveLength(10)
  expect(cloud.to('searches')[0]?.prefer).toBe('wait=50')
  expect(
    cloud
      .to('searches')
      .map(({ atMs }) => atMs - cloud.to('searches')[0]!.atMs)
      .slice(0, 3),
  ).toEqual([0, 50_000, 100_000])
  await agent.stop()
})

it('C22: answers a search at once and holds again', async () => {
  let pending = false
  const { cloud, agent } = buildAgent({
    searches: async (hit, signal) => {
      if (cloud.to('searches').length === 1) {
        await after(20_000, () => list([], true), signal)
        pending = true
      }
      return pending ? list([search('q')], true) : held(hit, signal)
    },
    report: () => {
      pending = false
      return Response.json({ success: true, queryId: 'q', status: 'completed' })
    },
  })
  agent.start()
  await vi.advanceTimersByTimeAsync(21_100)
  expect(cloud.to('report')).toHaveLength(1)
  expect(cloud.to('searches')).toHaveLength(2)
  await vi.advanceTimersByTimeAsync(40_000)
  expect(cloud.to('searches')).toHaveLength(2)
  await agent.stop()
})

it('C22: never runs hot when a cloud claims to hold but answers at once', async () => {
  for (const requests of [[], [search('q')]]) {
    const { cloud, agent } = buildAgent({
      searches: () => list(requests, true),
      report: () => new Response('', { status: 500 }),
    })
    agent.start()
    await vi.advanceTimersByTimeAsync(300_000)
    expect(cloud.to('searches').length).toBeLessThanOrEqual(11)
    await agent.stop()
  }
})

it('C22: stays polite when each search that it answers is followed by another', async () => {
  let count = 0
  const { cloud, agent } = buildAgent({ searches: () => list([search(`q${count++}`)], true) })
  agent.start()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(cloud.to('searches').length).toBeGreaterThan(30)
  expect(cloud.to('searches').length).toBeLessThanOrEqual(61)
  await agent.stop()
})

it('C22: lets the answer come before its own deadline', async () => {
  const { cloud, agent } = buildAgent({}, { timeoutMs: 20_000 })
  agent.start()
  await vi.advanceTimersByTimeAsync(0)
  expect(cloud.to('searches')[0]?.prefer).toBe('wait=15')
  await agent.stop()
  const plain = buildAgent({}, { waitSeconds: 0 })
  plain.agent.start()
  await vi.advanceTimersByTimeAsync(0)
  expect(plain.cloud.to('searches')[0]?.prefer).toBeNull()
  await plain.agent.stop()
})

it('Back-off: holds when a list fails, whatever heartbeats hint, for as long as Retry-After says', async () => {
  const { cloud, agent, of } = buildAgent({
    beat: () =>
      Response.json({
        success: true,
        status: 'online',
        pending: { searches: 3, uploads: 0 },
        nextHeartbeatInSeconds: 1,
      }),
    searches: () => new Response('', { status: 429, headers: { 'retry-after': '100' } }),
  })
  agent.start()
  await vi.advanceTimersByTimeAsync(1_000_000)
  expect(of('poll:error')[0]).toMatchObject({
    kind: 'searches',
    retryInMs: 112_500,
    error: { code: 'RATE_LIMITED', retryAfterMs: 100_000 },
  })
  expect(cloud.to('searches').length).toBeLessThanOrEqual(9)
  await agent.stop()
})

it('The agent: cuts a list that is longer than any cloud sends', async () => {
  const requests = Array.from({ length: 5000 }, (_, index) => search(`q${index}`))
  const { agent, of } = buildAgent({ searches: () => list(requests) })
  agent.start()
  await vi.advanceTimersByTimeAsync(0)
  expect(of('poll:end').find(({ kind }) => kind === 'searches')).toMatchObject({ listed: 5000, taken: 100 })
  await agent.stop()
})

it('works what it understands of a list, and tells once of what it does not', async () => {
  const odd = [{ ...search('typed'), scope: [7] }, { id: 'new', kind: 'reboot' }, null, 'x', { id: 7 }]
  const { cloud, agent, of } = buildAgent({
    searches: () => list([...odd, search('q')]),
    uploads: () => list([{ ...upload('u'), filePath: null }, upload('v')]),
  })
  agent.start()
  await vi.advanceTimersByTimeAsync(300_000)
  expect(cloud.reports().map(({ queryId }) => queryId)).toEqual(['q'])
  expect(cloud.to('upload')).toHaveLength(1)
  expect(of('request:error').map(({ kind, id, error }) => [kind, id, error.code, error.message])).toEqual([
    ['searches', 'typed', 'BAD_REPLY', 'Reading a listed request failed: field "scope.0" is invalid.'],
    ['searches', 'new', 'BAD_REPLY', expect.stringContaining('"query"')],
    ['searches', '', 'BAD_REPLY', expect.stringContaining('""')],
    ['uploads', 'u', 'BAD_REPLY', expect.stringContaining('"filePath"')],
  ])
  expect(of('poll:error')).toEqual([])
  await agent.stop()
})

it('takes a search that a list names twice once', async () => {
  const { cloud, agent } = buildAgent({ searches: () => list([search('q'), search('q')]) })
  agent.start()
  await vi.advanceTimersByTimeAsync(1000)
  expect(cloud.to('report')).toHaveLength(1)
  await agent.stop()
})

it('runs a few searches at the same time', async () => {
  let running = 0
  let most = 0
  const files = async () => {
    most = Math.max(most, ++running)
    await new Promise((resolve) => setTimeout(resolve, 1000))
    running -= 1
    return { found: [] }
  }
  const requests = Array.from({ length: 8 }, (_, index) => search(`q${index}`))
  const { cloud, agent } = buildAgent(
    { searches: () => list(requests) },
    { providers: { files }, searchConcurrency: 3 },
  )
  agent.start()
  await vi.advanceTimersByTimeAsync(5000)
  expect(most).toBe(3)
  expect(cloud.to('report')).toHaveLength(8)
  await agent.stop()
})

it('leaves searches at the cloud while a thousand are known, whatever it lists', async () => {
  let listed = 0
  const { agent, of } = buildAgent(
    {
      searches: () =>
        list(
          Array.from({ length: 100 }, () => search(`q${(listed += 1)}`)),
          true,
        ),
    },
    { searchDeadlineMs: 3_600_000, providers: { files: () => new Promise<never>(() => {}) } },
  )
  agent.start()
  await vi.advanceTimersByTimeAsync(600_000)
  const taken = of('poll:end').reduce((sum, poll) => sum + poll.taken, 0)
  expect(listed).toBeGreaterThan(1000)
  expect(taken).toBe(1000)
  await agent.stop()
})
