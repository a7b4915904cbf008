import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { backoffRange } from '@homeward/kit'
import { createSeededRandom } from '../../simulate/simulate-fleet.ts'
import { nextAttempt, type NextAttemptInput } from './next-attempt.ts'

const minute = 60_000
const unit = fc.double({ min: 0, max: 1, noNaN: true })
const input = fc.record({
  failures: fc.integer({ min: 1, max: 50 }),
  retryAfterMs: fc.option(fc.integer({ min: 0, max: 60 * minute }), { nil: undefined }),
  periodMs: fc.constantFrom(0, 1000, 30_000, 50_000, 2 * minute),
  elapsedMs: fc.integer({ min: 0, max: 90_000 }),
})
const isSpread = (given: Omit<NextAttemptInput, 'random'>) => {
  const { fromMs, toMs } = backoffRange(given)
  return toMs - fromMs >= given.periodMs
}

it('Back-off: comes never before its pause is over, and at most one beat later', () => {
  fc.assert(
    fc.property(input, unit, (given, chance) => {
      const { pauseMs, retryInMs } = nextAttempt({ ...given, random: () => chance })
      const { fromMs, toMs } = backoffRange(given)
      expect(pauseMs).toBeGreaterThanOrEqual(fromMs)
      expect(pauseMs).toBeLessThanOrEqual(toMs)
      expect(retryInMs).toBeGreaterThan(pauseMs - 0.001)
      expect(retryInMs).toBeLessThanOrEqual(pauseMs + 1.1 * given.periodMs + 0.001)
    }),
  )
})

it('Back-off: keeps the beat of the loop, unless chance spreads the pause over a whole one', () => {
  fc.assert(
    fc.property(input, unit, (given, chance) => {
      const { pauseMs, retryInMs } = nextAttempt({ ...given, random: () => chance })
      if (isSpread(given)) {
        expect(retryInMs).toBe(pauseMs)
        return
      }
      const beats = (given.elapsedMs + retryInMs) / (given.periodMs * (0.9 + chance / 5))
      expect(beats).toBeGreaterThan(0.999)
      expect(Math.abs(beats - Math.round(beats))).toBeLessThan(1e-6)
    }),
  )
})

it('Back-off: spreads polls that break off in one moment about as evenly as they were', () => {
  const devices = 100_000
  const perSecond = new Uint32Array(80)
  const random = createSeededRandom(1)
  for (let device = 0; device < devices; device += 1) {
    const elapsedMs = random() * 50_000
    const { retryInMs } = nextAttempt({ failures: 1, periodMs: 50_000, elapsedMs, random })
    perSecond[Math.floor(retryInMs / 1000)]! += 1
  }
  expect(Math.max(...perSecond)).toBeLessThan((1.3 * devices) / 50)
})

it('Back-off: waits no longer than its pause and a beat when the clock was set', () => {
  for (const elapsedMs of [-3_600_000, 3_600_000]) {
    const { retryInMs } = nextAttempt({ failures: 1, periodMs: 30_000, elapsedMs, random: () => 0.5 })
    expect(retryInMs).toBeGreaterThanOrEqual(5000)
    expect(retryInMs).toBeLessThanOrEqual(35_000)
  }
})
