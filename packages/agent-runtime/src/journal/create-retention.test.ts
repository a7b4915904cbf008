import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createTestStore } from '../testing/create-test-store.ts'
import type { RetentionLimits } from '../store/ports/retention.ts'
import { createRetention, toLimits } from './create-retention.ts'

const day = 86_400_000
const now = Date.parse('2026-06-01T00:00:00.000Z')

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

function start(prune: (limits: RetentionLimits) => Promise<boolean>) {
  const warn = vi.fn()
  const store = { prune: vi.fn(prune) }
  const sweeper = createRetention({
    store,
    retention: { journalEvents: 100 },
    logger: { warn, error() {} },
    now: () => now,
  })
  sweeper.start()
  return { sweeper, prune: store.prune, warn }
}

describe('retention', () => {
  it('A14: keeps the journal for 90 days and the steps of runs for 30, tasks for 90, unless told otherwise; runs stay', () => {
    expect(toLimits({}, now)).toEqual({
      journalBefore: '2026-03-03T00:00:00.000Z',
      runStepsBefore: '2026-05-02T00:00:00.000Z',
      tasksBefore: '2026-03-03T00:00:00.000Z',
      auditBefore: '2025-06-01T00:00:00.000Z',
      auditEntries: 100_000,
    })
    const forEver = {
      journalMs: Infinity,
      runStepsMs: Infinity,
      tasksMs: Infinity,
      auditMs: Infinity,
      auditEntries: Infinity,
    }
    expect(toLimits(forEver, now)).toEqual({})
    const given = {
      journalMs: day,
      journalEvents: 0,
      runStepsMs: 2 * day,
      runsMs: 3 * day,
      endedRuns: 10.5,
      tasksMs: 4 * day,
      auditMs: 5 * day,
      auditEntries: 10,
    }
    expect(toLimits(given, now)).toEqual({
      journalBefore: '2026-05-31T00:00:00.000Z',
      journalEvents: 1,
      runStepsBefore: '2026-05-30T00:00:00.000Z',
      endedRuns: 10,
      runsBefore: '2026-05-29T00:00:00.000Z',
      tasksBefore: '2026-05-28T00:00:00.000Z',
      auditBefore: '2026-05-27T00:00:00.000Z',
      auditEntries: 10,
    })
    expect(toLimits({ ...forEver, runsMs: Number.MAX_VALUE }, now)).toEqual({})
  })

  it('removes a few at once until nothing old is left, and looks again each minute', async () => {
    let left = 3
    const { sweeper, prune } = start(async () => --left > 0)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(prune).toHaveBeenCalledTimes(3)
    expect(prune.mock.calls[0]?.[0]).toMatchObject({ journalEvents: 100 })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(prune).toHaveBeenCalledTimes(4)
    await sweeper.close()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('tries again after a failure, and says why it failed', async () => {
    let fails = true
    const { sweeper, prune, warn } = start(async () => {
      if (fails) throw new Error('disk full')
      return false
    })
    await vi.advanceTimersByTimeAsync(10_000)
    expect(warn).toHaveBeenCalledOnce()
    fails = false
    await vi.advanceTimersByTimeAsync(60_000)
    expect(prune).toHaveBeenCalledTimes(2)
    expect(warn).toHaveBeenCalledOnce()
    await sweeper.close()
  })

  it('stops between two writes when the runtime closes', async () => {
    const { sweeper, prune } = start(async () => true)
    prune.mockImplementation(async () => {
      if (prune.mock.calls.length === 5) void sweeper.close()
      return true
    })
    await vi.advanceTimersByTimeAsync(10_000)
    await sweeper.close()
    expect(prune).toHaveBeenCalledTimes(5)
  })

  it('works in memory', async () => {
    const store = createTestStore()
    const eventAt = (timestamp: string) => ({ type: 'skill.changed', timestamp, data: {} }) as const
    await store.appendEvents([eventAt('2026-01-01T00:00:00.000Z'), eventAt('2026-05-31T00:00:00.000Z')])
    expect(await store.prune(toLimits({}, now))).toBe(false)
    expect((await store.listEvents({ limit: 9 })).map(({ seq }) => seq)).toEqual([2])
    await store.prune(toLimits({}, now + 200 * day))
    expect(await store.lastEventSeq()).toBe(2)
    expect(await store.listEvents({ limit: 9 })).toHaveLength(1)
  })
})
