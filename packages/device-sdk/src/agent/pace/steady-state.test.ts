import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { after, type FakeAnswer, list, search } from '../testing/fake-cloud.ts'
import { buildAgent } from '../testing/start-agent.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

const held: FakeAnswer = (_, signal) => after(50_000, () => list([], true), signal)
const down: FakeAnswer = () => Promise.reject(new Error('ECONNREFUSED'))
const beatWith = (searches: number) => () =>
  Response.json({ success: true, status: 'online', pending: { searches, uploads: 0 } })
/** Holds, then breaks off after `ms`. */
const breaksOff =
  (ms: number): FakeAnswer =>
  (_, signal) =>
    after(ms, () => Response.error(), signal)

describe('Back-off: a device that works is never faster for a failure', () => {
  it('beats at its interval at most, and later as failures add up', async () => {
    const { cloud, agent, of } = buildAgent()
    agent.start()
    await vi.advanceTimersByTimeAsync(1000)
    cloud.routes.beat = down
    await vi.advanceTimersByTimeAsync(600_000)
    expect(
      of('heartbeat:error')
        .map(({ retryInMs }) => retryInMs / 1000)
        .slice(0, 6),
    ).toEqual([30, 30, 30, 40, 80, 120])
    await agent.stop()
  })

  it('polls at its interval at most', async () => {
    const { cloud, agent, of } = buildAgent()
    agent.start()
    await vi.advanceTimersByTimeAsync(1000)
    cloud.routes.searches = down
    await vi.advanceTimersByTimeAsync(600_000)
    expect(
      of('poll:error')
        .map(({ retryInMs }) => retryInMs / 1000)
        .slice(0, 6),
    ).toEqual([30, 30, 30, 40, 80, 120])
    await agent.stop()
  })

  it('but comes soon while it boots, until the cloud has answered it', async () => {
    const { agent, of } = buildAgent({ searches: down })
    agent.start()
    await vi.advanceTimersByTimeAsync(16_000)
    expect(of('poll:error').map(({ retryInMs }) => retryInMs)).toEqual([5000, 10_000, 20_000])
    await agent.stop()
  })
})

describe('C21: while heartbeats fail, a device that was told of no work', () => {
  const start = async (settings = {}) => {
    const { cloud, agent } = buildAgent({ beat: beatWith(0) }, settings)
    agent.start()
    await vi.advanceTimersByTimeAsync(1000)
    cloud.routes.beat = down
    return { cloud, agent }
  }

  it('asks for itself, but rarely and at another time than the rest of its fleet', async () => {
    const firstAsked: number[] = []
    for (const random of [0, 0.5, 0.999]) {
      const { cloud, agent } = await start({ random: () => random })
      const failedAtMs = cloud.hits[0]!.atMs + 30_000 * (0.9 + random / 5)
      await vi.advanceTimersByTimeAsync(900_000)
      firstAsked.push(Math.round((cloud.to('searches')[1]!.atMs - failedAtMs) / 1000))
      await agent.stop()
    }
    expect(firstAsked).toEqual([150, 300, 450])
  })

  it('asks no more once heartbeats tell again', async () => {
    const { cloud, agent } = await start()
    await vi.advanceTimersByTimeAsync(660_000)
    expect(cloud.to('searches')).toHaveLength(1 + 2)
    cloud.routes.beat = beatWith(0)
    await vi.advanceTimersByTimeAsync(180_000)
    const asked = cloud.to('searches').length
    await vi.advanceTimersByTimeAsync(1_800_000)
    expect(cloud.to('searches')).toHaveLength(asked)
    await agent.stop()
  })

  it('asks no earlier when heartbeats come through for a while and fail again', async () => {
    const { cloud, agent } = await start()
    await vi.advanceTimersByTimeAsync(60_000)
    cloud.routes.beat = beatWith(0)
    await vi.advanceTimersByTimeAsync(60_000)
    cloud.routes.beat = down
    await vi.advanceTimersByTimeAsync(120_000)
    expect(cloud.to('searches')).toHaveLength(1)
    await agent.stop()
  })

  it('asks at once when a heartbeat tells of work again', async () => {
    const { cloud, agent } = await start()
    await vi.advanceTimersByTimeAsync(60_000)
    cloud.routes.beat = beatWith(1)
    await vi.advanceTimersByTimeAsync(31_000)
    expect(cloud.to('searches').length).toBeGreaterThan(1)
    await agent.stop()
  })

  it('polls at its interval when heartbeats come through and tell no more', async () => {
    const { cloud, agent } = await start()
    cloud.routes.beat = () => Response.json({ success: true, status: 'online' })
    await vi.advanceTimersByTimeAsync(120_000)
    expect(cloud.to('searches').length).toBeGreaterThanOrEqual(4)
    await agent.stop()
  })
})

describe('Back-off: held polls that all break off at once', () => {
  it.each([
    ['breaks off', breaksOff(20_000)],
    ['is let go early', (_, signal) => after(20_000, () => list([], true), signal)],
  ] satisfies [string, FakeAnswer][])(
    'C22: one that %s is followed when it would have been anyway',
    async (_, answer) => {
      const gaps: number[] = []
      for (const random of [0, 0.5, 0.999]) {
        const { cloud, agent } = buildAgent({ searches: answer, uploads: held }, { random: () => random })
        agent.start()
        await vi.advanceTimersByTimeAsync(100_000)
        const [first, second] = cloud.to('searches')
        gaps.push(Math.round((second!.atMs - first!.atMs - 20_000) / 1000))
        await agent.stop()
      }
      expect(gaps).toEqual([25, 30, 35])
    },
  )

  it('C21: a heartbeat that tells of work brings it back at once, after the back-off', async () => {
    const { cloud, agent } = buildAgent({ beat: beatWith(0), searches: breaksOff(20_000), uploads: held })
    agent.start()
    await vi.advanceTimersByTimeAsync(21_000)
    cloud.routes.beat = beatWith(1)
    cloud.routes.searches = () => list([search('q')], true)
    await vi.advanceTimersByTimeAsync(9500)
    expect(cloud.to('searches').length).toBeGreaterThan(1)
    expect(cloud.to('report')).toHaveLength(1)
    await agent.stop()
  })

  it('C22: polls plainly for a while when something on the way never lets a poll be held', async () => {
    const { cloud, agent, of } = buildAgent({
      beat: beatWith(0),
      searches: (hit, signal) =>
        hit.prefer === null ? list([]) : after(30_000, () => new Response('', { status: 503 }), signal),
      uploads: held,
    })
    agent.start()
    await vi.advanceTimersByTimeAsync(600_000)
    const asked = cloud.to('searches').map(({ prefer }) => prefer)
    expect(asked.slice(0, 4)).toEqual(['wait=50', 'wait=50', 'wait=50', null])
    expect(asked.slice(4).every((prefer) => prefer === null)).toBe(true)
    cloud.routes.beat = beatWith(1)
    cloud.routes.searches = held
    await vi.advanceTimersByTimeAsync(600_000)
    expect(cloud.to('searches').at(-1)?.prefer).toBe('wait=50')
    expect(of('poll:error')).toHaveLength(3)
    await agent.stop()
  })

  it('C22: follows at once a poll that was held for as long as the cloud said', async () => {
    const { cloud, agent } = buildAgent({
      searches: (_, signal) =>
        after(
          12_000,
          () => Response.json({ requests: [] }, { headers: { 'preference-applied': 'wait=12' } }),
          signal,
        ),
    })
    agent.start()
    await vi.advanceTimersByTimeAsync(59_000)
    expect(cloud.to('searches')).toHaveLength(5)
    await agent.stop()
  })
})

it.each([0, 0.999])('C16: spreads its probes by ten percent either way (%d)', async (random) => {
  const { agent, of } = buildAgent(
    { beat: () => new Response('', { status: 401 }) },
    { random: () => random },
  )
  agent.start()
  await vi.advanceTimersByTimeAsync(0)
  expect(of('unauthorized')[0]?.probeInMs).toBeCloseTo(300_000 * (random === 0 ? 0.9 : 1.1), -3)
  await agent.stop()
})

it.each([
  ['HTML', () => new Response('<html>')],
  ['another object', () => Response.json({ ok: true })],
  ['nothing', () => new Response('')],
])('The agent: takes a 200 with %s for no heartbeat, so it takes no work', async (_, beat) => {
  const { cloud, agent, of } = buildAgent({ beat })
  agent.start()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(of('heartbeat:end')).toEqual([])
  expect(cloud.to('searches')).toEqual([])
  await agent.stop()
})

it('The agent: a redirect takes neither key nor report anywhere', async () => {
  const urls: string[] = []
  const { cloud, agent, of } = buildAgent({ searches: () => list([search('q')]) })
  cloud.routes.report = (hit) => {
    urls.push(hit.path)
    return new Response(null, { status: 307, headers: { location: 'https://evil.example/steal' } })
  }
  agent.start()
  await vi.advanceTimersByTimeAsync(1000)
  expect(of('report:error')[0]).toMatchObject({ queryId: 'q', error: { code: 'REDIRECTED' } })
  expect(urls).toEqual(['/api/devices/search'])
  expect(cloud.hits.every(({ redirect }) => redirect === 'manual')).toBe(true)
  await agent.stop()
})
