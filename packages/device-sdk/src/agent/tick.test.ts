import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createMemoryOutbox } from '../outbox/create-memory-outbox.ts'
import { list, search, upload } from './testing/fake-cloud.ts'
import { buildAgent } from './testing/start-agent.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

it('does one full cycle and leaves nothing behind', async () => {
  const outbox = createMemoryOutbox()
  await outbox.put({
    queryId: 'old',
    state: 'ready',
    report: { queryId: 'old', results: {} },
    createdAt: '2026-01-01T00:00:00.000Z',
  })
  const { cloud, agent } = buildAgent(
    { searches: () => list([search('a'), search('b')]), uploads: () => list([upload('u')]) },
    { outbox },
  )
  const pending = agent.runOnce()
  await vi.advanceTimersByTimeAsync(5000)
  expect(await pending).toEqual({ searches: 2, uploads: 1, reports: 3 })
  expect(cloud.hits.map(({ path }) => path.replace('/api/devices/', ''))).toEqual([
    'heartbeat',
    'search',
    'search/pending',
    'files/upload-requests/pending',
    'files/upload',
    'search',
    'search',
  ])
  expect(cloud.hits.every(({ prefer }) => prefer === null)).toBe(true)
  expect(await outbox.list()).toEqual([])
})

it('rejects when the cloud cannot be reached, and sends nothing more', async () => {
  const { cloud, agent } = buildAgent({ beat: () => new Response('', { status: 503 }) })
  await expect(agent.runOnce()).rejects.toMatchObject({ code: 'SERVER_FAILED', status: 503 })
  expect(cloud.hits).toHaveLength(1)
  cloud.routes.beat = () => Response.json({ success: true, status: 'online' })
  const pending = agent.runOnce()
  await vi.advanceTimersByTimeAsync(100)
  expect(await pending).toEqual({ searches: 0, uploads: 0, reports: 0 })
})

it('C16: ends when the key is refused half way', async () => {
  const { agent } = buildAgent({
    uploads: () => list([upload('u'), upload('v'), upload('w')]),
    upload: () => Response.json({ error: 'Invalid or missing API key' }, { status: 401 }),
  })
  const pending = expect(agent.runOnce()).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  await vi.advanceTimersByTimeAsync(5000)
  await pending
})

it('rejects with the reason of its signal', async () => {
  const { agent } = buildAgent({ searches: () => new Promise(() => {}) })
  const controller = new AbortController()
  const pending = agent.runOnce({ signal: controller.signal })
  await vi.advanceTimersByTimeAsync(100)
  const reason = new Error('going to sleep')
  controller.abort(reason)
  await expect(pending).rejects.toBe(reason)
})

it('refuses to run beside the loops', async () => {
  const { agent } = buildAgent()
  agent.start()
  await expect(agent.runOnce()).rejects.toMatchObject({ code: 'INVALID_OPTION' })
  await agent.stop()
})
