import { describe, expect, it } from 'vitest'
import type { RunTime } from '@homeward/contract/agent-platform'
import { pulseStarts, toP95Ms, toPulse, waitedMs } from './pulse-series.ts'

const now = +new Date(2026, 10, 26, 12, 34)

describe('the pulse', () => {
  it('has a point for each of the last 24 hours and seven days, also without a run', () => {
    const day = pulseStarts('day', now)
    expect(day).toHaveLength(24)
    expect(day.at(-1)).toBe(+new Date(2026, 10, 26, 12))
    const week = pulseStarts('week', now)
    expect(week).toHaveLength(7)
    expect(week[0]).toBe(+new Date(2026, 10, 20))
    expect(toPulse([], week).every(({ completed }) => completed === 0)).toBe(true)
  })

  it('adds up counts by result where the runs began, and leaves out older ones', () => {
    const time = (hoursAgo: number, runs: RunTime['runs']): RunTime => ({
      start: new Date(now - hoursAgo * 3_600_000).toISOString(),
      runs,
    })
    const points = toPulse(
      [
        time(30, { failed: 1 }),
        time(1, { failed: 1, completed: 2 }),
        time(0.1, { running: 1 }),
        time(0, { waiting: 1 }),
      ],
      pulseStarts('day', now),
    )
    expect(points.at(-1)).toMatchObject({ open: 2, failed: 0 })
    expect(points.at(-2)).toMatchObject({ completed: 2, failed: 1 })
  })

  it('says how long 95 of 100 ended runs took at most', () => {
    const runs = Array.from({ length: 100 }, (_, place) => ({ durationMs: place + 1, waitedMs: 0 }))
    expect(toP95Ms([...runs, { durationMs: undefined, waitedMs: 0 }])).toBe(95)
    expect(toP95Ms([])).toBeUndefined()
    expect(toP95Ms([{ durationMs: 9000, waitedMs: 7000 }])).toBe(2000)
  })

  it('counts a time once in which a run waited for two people', () => {
    const wait = (from: number, to?: number) => ({
      id: `${from}`,
      run_id: 'r',
      kind: 'approval' as const,
      status: to === undefined ? ('open' as const) : ('answered' as const),
      created_at: new Date(from * 1000).toISOString(),
      ...(to !== undefined && { answered_at: new Date(to * 1000).toISOString() }),
    })
    expect(waitedMs({ waits: [wait(5, 9), wait(1, 6), wait(20, 21), wait(30)] })).toBe(9000)
  })
})
