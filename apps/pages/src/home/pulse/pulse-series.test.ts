import { describe, expect, it } from 'vitest'
import { type PulseRun, pulseStarts, toPulse, waitedMs } from './pulse-series.ts'

const now = +new Date(2026, 10, 26, 12, 34)
const run = (hoursAgo: number, status: PulseRun['status'], durationMs = 1000): PulseRun => ({
  createdAt: new Date(now - hoursAgo * 3_600_000).toISOString(),
  status,
  durationMs,
  waitedMs: 0,
})

describe('the pulse', () => {
  it('has a point for each of the last 24 hours and seven days, also without a run', () => {
    const day = pulseStarts('day', now)
    expect(day).toHaveLength(24)
    expect(day.at(-1)).toBe(+new Date(2026, 10, 26, 12))
    const week = pulseStarts('week', now)
    expect(week).toHaveLength(7)
    expect(week[0]).toBe(+new Date(2026, 10, 20))
    expect(toPulse([], week).points.every(({ completed }) => completed === 0)).toBe(true)
  })

  it('counts runs by result where they began, and leaves out older ones', () => {
    const runs = [
      run(0, 'running'),
      run(0, 'waiting'),
      run(1, 'failed'),
      run(1, 'completed'),
      run(30, 'failed'),
    ]
    const { points } = toPulse(runs, pulseStarts('day', now))
    expect(points.at(-1)).toMatchObject({ open: 2, failed: 0 })
    expect(points.at(-2)).toMatchObject({ completed: 1, failed: 1 })
  })

  it('says how long 95 of 100 ended runs took at most', () => {
    const runs = Array.from({ length: 100 }, (_, place) => run(1, 'completed', place + 1))
    expect(toPulse([...runs, run(1, 'running', 99_999)], pulseStarts('day', now)).p95Ms).toBe(95)
    expect(toPulse([], pulseStarts('day', now)).p95Ms).toBeUndefined()
    const waited = [{ ...run(1, 'completed', 9000), waitedMs: 7000 }]
    expect(toPulse(waited, pulseStarts('day', now)).p95Ms).toBe(2000)
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
