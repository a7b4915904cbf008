import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { DeviceCloudError } from '../device-cloud-error.ts'
import { buildAgent } from './testing/start-agent.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

const minute = 60_000
const denied = () => Response.json({ error: 'Invalid or missing API key' }, { status: 401 })

it('sends nothing before the device was let in, and works at once afterwards', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { cloud, agent, names } = buildAgent({}, { enroll: () => promise })
  agent.start()
  await vi.advanceTimersByTimeAsync(60 * minute)
  expect(cloud.hits).toEqual([])
  resolve()
  await vi.advanceTimersByTimeAsync(0)
  expect(cloud.hits).toHaveLength(3)
  expect(names().slice(0, 2)).toEqual(['enrollment:end', 'heartbeat:end'])
  await agent.stop()
  agent.start()
  await vi.advanceTimersByTimeAsync(0)
  expect(names().filter((name) => name === 'enrollment:end')).toHaveLength(1)
  await agent.stop()
})

it('C16: is not silent on a 401 right after it was let in, and is later', async () => {
  const { cloud, agent, of } = buildAgent({ beat: denied }, { enroll: () => Promise.resolve() })
  agent.start()
  await vi.advanceTimersByTimeAsync(5000 + 10_000 + 20_000)
  expect(of('unauthorized').map(({ probeInMs }) => probeInMs)).toEqual([5000, 10_000, 20_000, 40_000])
  await vi.advanceTimersByTimeAsync(10 * minute)
  const soon = cloud.hits.length
  await vi.advanceTimersByTimeAsync(60 * minute)
  expect(cloud.hits.length - soon).toBeLessThanOrEqual(3)
  await agent.stop()
})

it('tells why an enrollment ended, and tries again after minutes', async () => {
  const enroll = vi.fn(() => Promise.reject(new DeviceCloudError('ENROLLMENT_DENIED', 'denied')))
  const { agent, of } = buildAgent({}, { enroll })
  agent.start()
  await vi.advanceTimersByTimeAsync(15 * minute)
  expect(of('enrollment:error')).toMatchObject([
    { error: { code: 'ENROLLMENT_DENIED' }, retryInMs: 5 * minute },
    { retryInMs: 10 * minute },
    { retryInMs: 20 * minute },
  ])
  await agent.stop()
  await expect(agent.runOnce()).rejects.toMatchObject({ code: 'ENROLLMENT_DENIED' })
})

it('can be stopped while it waits to be let in', async () => {
  const { agent, events } = buildAgent({}, { enroll: () => new Promise(() => {}) })
  agent.start()
  await vi.advanceTimersByTimeAsync(1000)
  await agent.stop()
  expect(events).toEqual([])
})
