import { describe, expect, it } from 'vitest'
import { type PulseRun, pulseStarts, toPulse } from './pulse-series.ts'

const now = +new Date(2026, 10, 26, 12, 34)
const run = (hoursAgo: number, status: PulseRun['status'], durationMs = 1000): PulseRun => ({
  createdAt: new Date(now - hoursAgo * 3_600_000).toISOString(),
  status,
  durationMs,
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
    const { points, total } = toPulse(runs, pulseStarts('day', now))
    expect(points.at(-1)).toMatchObject({ open: 2, failed: 0 })
    expect(points.at(-2)).toMatchObject({ completed: 1, failed: 1 })
    expect(total).toEqual({ completed: 1, failed: 1, cancelled: 0, open: 2, all: 4 })
  })

  it('says how long 95 of 100 ended runs took at most', () => {
    const runs = Array.from({ length: 100 }, (_, place) => run(1, 'completed', place + 1))
    expect(toPulse([...runs, run(1, 'running', 99_999)], pulseStarts('day', now)).p95Ms).toBe(95)
    expect(toPulse([], pulseStarts('day', now)).p95Ms).toBeUndefined()
  })
})
