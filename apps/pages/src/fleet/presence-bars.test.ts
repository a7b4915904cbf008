import { expect, it } from 'vitest'
import { toPresenceBars } from './presence-history.tsx'

const hourMs = 3_600_000
const startMs = Date.parse('2026-01-01T00:00:00.000Z')
const at = (hours: number) => new Date(startMs + hours * hourMs).toISOString()
const range = { from: at(0), to: at(100), firstSeenAt: at(0), knownSince: at(0) }

it('lays gaps out over the range, cut at its ends', () => {
  const gaps = [
    { from: at(-5), to: at(10) },
    { from: at(20), to: at(30) },
    { from: at(95), to: null },
  ]
  const { bars, online } = toPresenceBars({ ...range, gaps })
  expect(bars).toEqual([
    { kind: 'silent', start: 0, length: 0.1 },
    { kind: 'silent', start: 0.2, length: expect.closeTo(0.1) },
    { kind: 'silent', start: 0.95, length: expect.closeTo(0.05) },
  ])
  expect(online).toBeCloseTo(0.75)
})

it('counts only the time of which gaps are known', () => {
  const gaps = [{ from: at(60), to: at(80) }]
  const { bars, online } = toPresenceBars({ ...range, knownSince: at(50), gaps })
  expect(bars[0]).toEqual({ kind: 'unknown', start: 0, length: 0.5 })
  expect(online).toBeCloseTo(0.6)
  const never = toPresenceBars({ ...range, firstSeenAt: null, knownSince: null, gaps: [] })
  expect(never).toMatchObject({ bars: [{ kind: 'unknown', start: 0, length: 1 }], online: undefined })
})

it('marks the start of each day', () => {
  const { days } = toPresenceBars({ ...range, gaps: [] })
  expect(days.map(({ ms }) => new Date(ms).getHours())).toEqual(days.map(() => 0))
  expect([4, 5]).toContain(days.length)
})
