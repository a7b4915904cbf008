import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createVirtualClock, type VirtualClock } from './testing/virtual-clock.ts'
import { type FleetOptions, type Outage, startFleet, type VirtualFleet } from './testing/virtual-fleet.ts'

// Real agents, each with its three loops; only time and the cloud are not real.
let clock: VirtualClock
let fleet: VirtualFleet | undefined

beforeEach(() => {
  clock = createVirtualClock()
  vi.stubGlobal('setTimeout', clock.setTimeout)
  vi.stubGlobal('clearTimeout', clock.clearTimeout)
})
afterEach(async () => {
  await fleet?.stop()
  vi.unstubAllGlobals()
})

const modes = [
  // Devices start over a time that is a multiple of their intervals: that makes their load even.
  { mode: 'held polls', holds: true, seconds: 2, startOverMs: 150_000, callsPerSecond: 1 / 30 + 2 / 50 },
  { mode: 'plain polls', holds: false, seconds: 20, startOverMs: 30_000, callsPerSecond: 3 / 30 },
]

async function runningFleet(options: Omit<FleetOptions, 'clock'>): Promise<VirtualFleet> {
  fleet = startFleet({ clock, ...options })
  await clock.advance(options.startOverMs)
  return fleet
}

/** Seconds of an outage and what it looks like, then three minutes to come back. */
async function survive(running: VirtualFleet, seconds: number, outage: Outage = {}) {
  const fromMs = clock.now()
  running.breakDown(outage)
  await clock.advance(seconds * 1000)
  const repairedMs = clock.now()
  running.repair()
  await clock.advance(180_000)
  return {
    busiest: (spanSeconds?: number) => running.busiest(fromMs, clock.now(), spanSeconds),
    back: running.backSince(repairedMs),
  }
}

describe.each(modes)(
  'Back-off: a fleet with $mode',
  { timeout: 300_000 },
  ({ holds, seconds, startOverMs, callsPerSecond }) => {
    it(`of 10,000 devices: after ${seconds} s without a cloud the busiest second is at most 1.5 x the steady load, and 95 % are back within 3 minutes`, async () => {
      const size = 10_000
      const { busiest, back } = await survive(await runningFleet({ size, holds, startOverMs }), seconds)
      expect(busiest()).toBeLessThanOrEqual(1.5 * size * callsPerSecond)
      expect(back).toBeGreaterThanOrEqual(0.95 * size)
    })

    const outages: [string, number, Outage][] = [
      ['a restart that lets go of the held polls first', 2, { letsGo: true }],
      ['a minute', 60, {}],
      ['five minutes', 300, {}],
      ['a minute that asks for 30 s of patience', 60, { retryAfterMs: 30_000 }],
      ['five seconds that ask for a minute and a half', 5, { retryAfterMs: 90_000 }],
    ]
    it.each(outages)('comes back as calmly after %s', async (_, lastsSeconds, outage) => {
      const size = 1000
      const { busiest, back } = await survive(
        await runningFleet({ size, holds, startOverMs }),
        lastsSeconds,
        outage,
      )
      // Of a smaller fleet chance alone makes single seconds busy: ten of them count together.
      expect(busiest(10)).toBeLessThanOrEqual(1.5 * size * callsPerSecond)
      expect(back).toBeGreaterThanOrEqual(0.95 * size)
    })

    it('boots together without a herd when its first beats are spread, and with one when not', async () => {
      const size = 1000
      fleet = startFleet({ size, clock, holds, startOverMs: 0, settings: { spreadFirstBeat: true } })
      await clock.advance(180_000)
      expect(fleet.busiest(0, clock.now(), 10)).toBeLessThanOrEqual(1.5 * size * callsPerSecond)
      expect(fleet.backSince(0)).toBe(size)
      await fleet.stop()

      const fromMs = clock.now()
      fleet = startFleet({ size, clock, holds, startOverMs: 0 })
      await clock.advance(2000)
      expect(fleet.busiest(fromMs, clock.now())).toBeGreaterThanOrEqual(size)
    })
  },
)
