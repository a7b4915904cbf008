import { simulateFleet, type FleetFault } from '@homeward/device-sdk/simulate'
import { describe, expect, it } from 'vitest'
import { busiest, documentedCloud, realCloud } from './fleet-clouds.ts'

/** The whole fleet of the property is for `npm run soak`. */
const devices = Number(process.env['FLEET_DEVICES'] ?? 200)
const isWhole = devices >= 10_000
/** Of a smaller fleet chance alone makes single seconds busy: half a minute of them counts together. */
const spanSeconds = isWhole ? 1 : 30

const atSeconds = 450
const outage = (forSeconds: number): FleetFault => ({ kind: 'outage', atSeconds, forSeconds })
const modes = [
  { mode: 'held polls', cloud: realCloud, steadyPerDevice: 1 / 30 + 2 / 50, outages: [10, 120, 28 * 60] },
  { mode: 'plain polls', cloud: documentedCloud, steadyPerDevice: 3 / 30, outages: [120] },
]

/** The longest pause between the probes of a device that was refused for so long: they double from 5 minutes. */
const lastProbeSeconds = (refusedForSeconds: number) => (refusedForSeconds < 270 ? 300 : 600)

/** Runs a fleet through one fault and 200 s more; gives its load in multiples of the steady one. */
async function survive(
  fault: FleetFault,
  { cloud, steadyPerDevice }: (typeof modes)[number],
  spread = false,
) {
  const lasts = fault.kind === 'reboot' ? 0 : fault.forSeconds
  const afterSeconds = fault.kind === 'unauthorized' ? 1.1 * lastProbeSeconds(lasts) : 200
  const seconds = Math.ceil(fault.atSeconds + lasts + afterSeconds)
  const report = await simulateFleet({
    devices,
    hours: seconds / 3600,
    faults: [fault],
    searchesPerDeviceADay: 0,
    cloud: (world) => cloud(world),
    settings: { spreadFirstBeat: spread },
  })
  const { perSecond, steadyPerSecond } = report.requests
  expect(steadyPerSecond / (devices * steadyPerDevice)).toBeCloseTo(1, 1)
  return {
    load: busiest(perSecond, fault.atSeconds, perSecond.length, spanSeconds) / (devices * steadyPerDevice),
    ...report.faults[0]!,
  }
}

describe.each(modes)('Back-off: a fleet with $mode', { timeout: 1_800_000 }, (setup) => {
  const lengths = isWhole ? [...new Set([...setup.outages, 6 * 3600])] : setup.outages
  it.each(lengths)('comes back calmly and soon after %i s without a cloud', async (seconds) => {
    const { load, affectedDevices, back95Seconds } = await survive(outage(seconds), setup)
    expect(load).toBeLessThanOrEqual(1.5)
    expect(affectedDevices).toBeGreaterThan(0.3 * devices)
    expect(back95Seconds).toBeLessThanOrEqual(180)
  })

  const faults: [string, FleetFault][] = [
    ['a restart that lets go of the held polls', { kind: 'outage', atSeconds, forSeconds: 2, letsGo: true }],
    [
      'a minute that asks for 30 s of patience',
      { kind: 'outage', atSeconds, forSeconds: 60, retryAfterSeconds: 30 },
    ],
    ['a minute of 503', { kind: 'server-errors', atSeconds, forSeconds: 60, status: 503 }],
  ]
  it.each(faults)('comes back as calmly after %s', async (_, fault) => {
    const { load, back95Seconds } = await survive(fault, setup)
    expect(load).toBeLessThanOrEqual(1.5)
    expect(back95Seconds).toBeLessThanOrEqual(180)
  })

  it.each([60, 600])(
    'C16: comes back calmly with its next probes after %i s of refused keys',
    async (forSeconds) => {
      const fault: FleetFault = { kind: 'unauthorized', atSeconds, forSeconds }
      const { load, affectedDevices, back95Seconds } = await survive(fault, setup)
      expect(load).toBeLessThanOrEqual(1.5)
      expect(affectedDevices).toBeGreaterThanOrEqual(0.95 * devices)
      expect(back95Seconds).toBeLessThanOrEqual(1.1 * lastProbeSeconds(forSeconds))
    },
  )

  it('boots in the same second without a herd when its first beats are spread, and with one when not', async () => {
    const fault: FleetFault = { kind: 'reboot', atSeconds }
    const { load, affectedDevices, back95Seconds } = await survive(fault, setup, true)
    expect(load).toBeLessThanOrEqual(1.5)
    expect(affectedDevices).toBe(devices)
    expect(back95Seconds).toBeLessThanOrEqual(180)
    const together = await survive(fault, setup)
    expect(together.busiestPerSecond).toBeGreaterThanOrEqual(devices)
  })
})
