import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { after, type FakeAnswer, search, upload } from './testing/fake-cloud.ts'
import { buildAgent } from './testing/start-agent.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

interface Ask {
  readonly metadata: unknown
  readonly working: readonly string[]
}

const answer = (searches: readonly unknown[] = [], uploads: readonly unknown[] = [], wait = 'wait=270') =>
  Response.json(
    { searches, uploads, now: '2026-01-01T00:00:00.000Z' },
    { headers: { 'preference-applied': wait } },
  )
const held: FakeAnswer = ({ prefer }, signal) =>
  after(Number(prefer?.replace('wait=', '')) * 1000, () => answer([], [], prefer ?? ''), signal)
const asHeld = { work: 'held' } as const

it('asks for all work with one request, which is the heartbeat too', async () => {
  const { cloud, agent, of } = buildAgent({ work: held }, { ...asHeld, metadata: { os: 'linux' } })
  agent.start()
  await vi.advanceTimersByTimeAsync(3_600_000 - 1)
  expect(cloud.to('beat')).toHaveLength(1)
  expect([cloud.to('searches').length, cloud.to('uploads').length]).toEqual([0, 0])
  expect(cloud.to('work')).toHaveLength(14)
  expect(cloud.to('work')[0]?.prefer).toBe('wait=270')
  expect(cloud.to('work')[0]?.body).toEqual({
    metadata: { os: 'linux', scopes: [{ name: 'files' }] },
    working: [],
  })
  expect(of('heartbeat:end')).toHaveLength(14)
  await agent.stop()
})

it('sends at most 12 requests an hour at rest with the lowest activity', async () => {
  for (const random of [0, 0.5, 1]) {
    const { cloud, agent } = buildAgent(
      { work: held },
      { ...asHeld, activity: 'lowest', random: () => random },
    )
    agent.start()
    await vi.advanceTimersByTimeAsync(60_000)
    const before = cloud.hits.length
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect(cloud.hits.length - before).toBeLessThanOrEqual(12)
    await agent.stop()
  }
})

it('says what it works on, and asks again at once', async () => {
  let finish = () => {}
  const files = () => new Promise<{ found: [] }>((resolve) => (finish = () => resolve({ found: [] })))
  let asks = 0
  const { cloud, agent } = buildAgent(
    { work: (hit, signal) => (asks++ === 0 ? answer([search('q')], [upload('u')]) : held(hit, signal)) },
    { ...asHeld, providers: { files } },
  )
  agent.start()
  await vi.advanceTimersByTimeAsync(2000)
  const working = () => cloud.to('work').map(({ body }) => (body as Ask).working)
  expect(working()).toEqual([[], ['q']])
  finish()
  await vi.advanceTimersByTimeAsync(271_000)
  expect(cloud.reports().map(({ queryId }) => queryId)).toEqual(['q'])
  expect(working()).toEqual([[], ['q'], []])
  await agent.stop()
})

it('goes back to heartbeats and polls with a cloud that has no such request, and tries again after an hour', async () => {
  for (const status of [404, 405]) {
    let isOld = true
    const { cloud, agent, of } = buildAgent(
      { work: (hit, signal) => (isOld ? new Response('{}', { status }) : held(hit, signal)) },
      { ...asHeld, waitSeconds: 0 },
    )
    agent.start()
    await vi.advanceTimersByTimeAsync(3_540_000)
    expect(cloud.to('work')).toHaveLength(1)
    expect(cloud.to('beat').length).toBeGreaterThan(100)
    expect(cloud.to('searches').length).toBeGreaterThan(100)
    expect(of('heartbeat:error')).toEqual([])
    isOld = false
    await vi.advanceTimersByTimeAsync(120_000)
    const polls = cloud.to('searches').length + cloud.to('beat').length
    await vi.advanceTimersByTimeAsync(600_000)
    expect(cloud.to('work').length).toBeGreaterThan(1)
    expect(cloud.to('searches').length + cloud.to('beat').length).toBe(polls)
    await agent.stop()
  }
})

it('asks for less where connections break', async () => {
  const cut: FakeAnswer = (hit, signal) => {
    const seconds = Number(hit.prefer?.replace('wait=', ''))
    if (seconds < 60) return held(hit, signal)
    return after(60_000, () => new Response('', { status: 504 }), signal)
  }
  const { cloud, agent, of } = buildAgent({ work: cut }, asHeld)
  agent.start()
  await vi.advanceTimersByTimeAsync(560_000)
  const asked = cloud.to('work').map(({ prefer }) => prefer)
  expect(asked.slice(0, 3)).toEqual(['wait=270', 'wait=270', 'wait=270'])
  expect([...new Set(asked.slice(3))]).toEqual(['wait=50'])
  expect(of('heartbeat:error')).toHaveLength(3)
  await agent.stop()
})

it('returns within seconds to a restarted cloud that has few devices, and ever more rarely to one that stays away', async () => {
  let isDown = false
  const few = { headers: { 'reconnect-within': '2' } }
  function letGo(prefer: string): Response {
    const response = answer([], [], prefer)
    response.headers.set('reconnect-within', '2')
    return response
  }
  const cloudOfFew: FakeAnswer = (hit, signal) =>
    isDown
      ? new Response('', { status: 503, headers: { 'retry-after': '1' } })
      : after(20_000, () => letGo(hit.prefer ?? ''), signal)
  const { cloud, agent } = buildAgent(
    { beat: () => Response.json({ success: true, status: 'online' }, few), work: cloudOfFew },
    asHeld,
  )
  agent.start()
  await vi.advanceTimersByTimeAsync(20_000) // let go long before its 270 seconds are over
  expect(cloud.to('work')).toHaveLength(1)
  isDown = true
  await vi.advanceTimersByTimeAsync(3000)
  expect(cloud.to('work')).toHaveLength(2)
  await vi.advanceTimersByTimeAsync(600_000)
  const times = cloud.to('work').map(({ atMs }) => atMs)
  const pauses = times.slice(1).map((at, index) => Math.round((at - times[index]!) / 1000))
  expect(pauses.slice(1, 6)).toEqual([2, 5, 9, 18, 36])
  expect(Math.max(...pauses)).toBeLessThan(90)
  await agent.stop()
})

it('C16: stops when the key is rejected, and resumes with the key', async () => {
  let isRefused = false
  const refuse = () => new Response('{}', { status: 401 })
  const { cloud, agent, names } = buildAgent(
    {
      beat: () => (isRefused ? refuse() : Response.json({ success: true, status: 'online' })),
      work: (hit, signal) => (isRefused ? refuse() : held(hit, signal)),
    },
    asHeld,
  )
  agent.start()
  await vi.advanceTimersByTimeAsync(100_000)
  isRefused = true
  await vi.advanceTimersByTimeAsync(250_000)
  const asked = cloud.to('work').length
  await vi.advanceTimersByTimeAsync(200_000)
  expect(cloud.to('work')).toHaveLength(asked)
  expect(names()).toContain('unauthorized')
  isRefused = false
  await vi.advanceTimersByTimeAsync(600_000)
  expect(names()).toContain('authorized')
  expect(cloud.to('work').length).toBeGreaterThan(asked)
  await agent.stop()
})

it('never runs hot when a cloud lists what the device has, or claims to hold and does not', async () => {
  for (const rows of [[], [search('q')]]) {
    const { cloud, agent } = buildAgent(
      { work: () => answer(rows), report: () => new Response('', { status: 500 }) },
      asHeld,
    )
    agent.start()
    await vi.advanceTimersByTimeAsync(300_000)
    expect(cloud.to('work').length).toBeLessThanOrEqual(12)
    await agent.stop()
  }
})
