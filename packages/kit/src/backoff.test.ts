import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSeededRandom } from '../../device-sdk/src/simulate/simulate-fleet.ts'
import { backoffMs, backoffRange, jitterMs } from './backoff.ts'

const unit = fc.double({ min: 0, max: 1, noNaN: true })
const failures = fc.integer({ min: 1, max: 5000 })

describe('backoffMs', () => {
  it('stays within half and one and a half of its doubling, capped pause', () => {
    fc.assert(
      fc.property(failures, unit, (count, random) => {
        const pauseMs = Math.min(120_000, 5000 * 2 ** (count - 1))
        const waitMs = backoffMs({ failures: count, random: () => random })
        expect(waitMs).toBeGreaterThanOrEqual(pauseMs * 0.5)
        expect(waitMs).toBeLessThanOrEqual(pauseMs * 1.5)
      }),
    )
  })

  it('never waits less than Retry-After, and at most a quarter more', () => {
    fc.assert(
      fc.property(failures, unit, fc.integer({ min: 0, max: 86_400_000 }), (count, random, retryAfterMs) => {
        const floorMs = Math.max(retryAfterMs, Math.min(120_000, 5000 * 2 ** (count - 1)))
        const waitMs = backoffMs({ failures: count, retryAfterMs, random: () => random })
        expect(waitMs).toBeGreaterThanOrEqual(floorMs)
        expect(waitMs).toBeLessThanOrEqual(floorMs * 1.25)
      }),
    )
  })

  it('stretches the pause by the given factors instead', () => {
    const input = { failures: 3, baseMs: 1000, capMs: 3000, spread: [1, 1.5] as const }
    expect([0, 1].map((random) => backoffMs({ ...input, random: () => random }))).toEqual([3000, 4500])
    expect(backoffMs({ ...input, maxSpreadMs: 100, random: () => 1 })).toBe(3100)
    expect(backoffMs({ ...input, retryAfterMs: 10_000, random: () => 1 })).toBe(12_500)
    expect(backoffMs({ failures: 2, baseMs: 100, spread: [1, 1] })).toBe(200)
  })

  it('counts no failure as the first', () => {
    expect(backoffRange({ failures: 0 })).toEqual(backoffRange({ failures: 1 }))
  })

  it('still spreads devices that all reached the cap', () => {
    const waits = Array.from({ length: 1000 }, () => backoffMs({ failures: 50 }))
    expect(Math.max(...waits) - Math.min(...waits)).toBeGreaterThan(100_000)
  })

  it('brings 10,000 devices back from a long outage without a herd', () => {
    const outageMs = 20 * 60_000
    const hits: number[] = []
    let backWithin3Min = 0
    const random = createSeededRandom(1)
    for (let device = 0; device < 10_000; device += 1) {
      let atMs = random() * 30_000
      let count = 0
      while (atMs < outageMs) atMs += backoffMs({ failures: (count += 1), random })
      if (atMs <= outageMs + 180_000) backWithin3Min += 1
      for (; atMs < outageMs + 600_000; atMs += jitterMs(30_000, random)) hits.push(Math.floor(atMs / 1000))
    }
    const bySecond = new Map<number, number>()
    for (const second of hits) bySecond.set(second, (bySecond.get(second) ?? 0) + 1)
    expect(Math.max(...bySecond.values())).toBeLessThanOrEqual((1.5 * 10_000) / 30)
    expect(backWithin3Min).toBeGreaterThanOrEqual(9500)
  })
})

it('keeps ordinary intervals within ten percent', () => {
  fc.assert(
    fc.property(unit, fc.integer({ min: 1, max: 1e9 }), (random, intervalMs) => {
      const waitMs = jitterMs(intervalMs, () => random)
      expect(waitMs).toBeGreaterThanOrEqual(intervalMs * 0.9 - 1)
      expect(waitMs).toBeLessThanOrEqual(intervalMs * 1.1 + 1)
    }),
  )
})
