import {
  simulateFleet,
  type FaultReport,
  type FleetFault,
  type FleetOptions,
} from '@homeward/device-sdk/simulate'
import { describe, expect, it } from 'vitest'
import { busiest, documentedCloud, realCloud } from './fleet-clouds.ts'

/** The whole fleet of the property is for `npm run soak`. */
const wholeFleet = Number(process.env['FLEET_DEVICES'] ?? 0)
const isWhole = wholeFleet >= 10_000
const sizeOf = (devices: number) => (isWhole ? wholeFleet : devices)
/** Of so few, chance alone makes single seconds busy: half a minute of them counts together. */
const small = { devices: sizeOf(100), spanSeconds: isWhole ? 1 : 30 }
/** So many are enough to look at each second for itself, with some room for chance. */
const large = { devices: sizeOf(600), spanSeconds: 1 }

const minute = 60
const hour = 3600
const atSeconds = 300
const calmSeconds = 200
const outage = (forSeconds: number, more: { retryAfterSeconds?: number; letsGo?: boolean } = {}) =>
  ({ kind: 'outage', atSeconds, forSeconds, ...more }) satisfies FleetFault
interface Mode {
  readonly mode: string
  readonly cloud: FleetOptions['cloud']
  readonly steadyPerDevice: number
  readonly settings?: FleetOptions['settings']
}

const modes: readonly Mode[] = [
  {
    mode: 'held polls',
    cloud: (world) => realCloud(world),
    steadyPerDevice: 1 / 30 + 2 / 50,
    settings: { work: 'poll' },
  },
  { mode: 'plain polls', cloud: documentedCloud, steadyPerDevice: 3 / 30, settings: { work: 'poll' } },
]
/** Its polls rest for as long as heartbeats tell that nothing waits. */
const restingPolls: Mode = {
  mode: 'polls that rest',
  cloud: (world) => realCloud(world),
  steadyPerDevice: 1 / 30,
  settings: { work: 'poll', waitSeconds: 0 },
}

/** Most load, in multiples of the steady one. In hundreds of seconds of few requests one is two deviations above it. */
const mostLoad = ({ steadyPerDevice }: Mode, { devices, spanSeconds }: typeof small) =>
  1.5 + (isWhole || spanSeconds > 1 ? 0 : 2 / Math.sqrt(devices * steadyPerDevice))

const lengthOf = (fault: FleetFault) => (fault.kind === 'reboot' ? 0 : fault.forSeconds)

interface Survived extends FaultReport {
  /** Of the busiest second or span, in multiples of the steady load. */
  readonly load: number
}

/** Runs a fleet through faults and some time more. */
async function survive(
  { cloud, steadyPerDevice, settings }: Mode,
  faults: readonly FleetFault[],
  { devices, spanSeconds }: typeof small,
  { afterSeconds = calmSeconds, spread = false } = {},
): Promise<readonly Survived[]> {
  const last = faults.at(-1)!
  const report = await simulateFleet({
    devices,
    hours: Math.ceil(last.atSeconds + lengthOf(last) + afterSeconds) / hour,
    faults,
    searchesPerDevicePerDay: 0,
    cloud,
    settings: { ...settings, spreadFirstHeartbeat: spread },
  })
  const { perSecond, steadyPerSecond } = report.requests
  expect(steadyPerSecond / (devices * steadyPerDevice)).toBeCloseTo(1, 1)
  return report.faults.map((each, at) => {
    const until = report.faults[at + 1]?.fault.atSeconds ?? perSecond.length
    const most = busiest(perSecond, each.fault.atSeconds, until, spanSeconds)
    return { ...each, load: most / (devices * steadyPerDevice) }
  })
}

function expectCalm({ load, recovered95Seconds }: Survived, most = 1.5): void {
  expect(load).toBeLessThanOrEqual(most)
  expect(recovered95Seconds).toBeLessThanOrEqual(180)
}

/** The longest pause between the probes of a device that was refused for so long: they double from 5 to 30 minutes. */
function lastProbeSeconds(refusedForSeconds: number): number {
  let pauseSeconds = 5 * minute
  for (let probedAt = 0.9 * pauseSeconds; probedAt < refusedForSeconds; probedAt += 0.9 * pauseSeconds)
    pauseSeconds = Math.min(30 * minute, 2 * pauseSeconds)
  return pauseSeconds
}

/** The same outages, one after the other. */
function inTurn(outages: readonly ReturnType<typeof outage>[]): readonly FleetFault[] {
  let begins = atSeconds
  return outages.map((fault) => {
    const placed = { ...fault, atSeconds: begins }
    begins += fault.forSeconds + calmSeconds
    return placed
  })
}

describe.each([...modes, restingPolls])('Back-off: a fleet with $mode', { timeout: 3_600_000 }, (mode) => {
  it('has no busy second after an outage, after a longer one and after being asked for patience', async () => {
    const faults = inTurn([
      outage(10),
      outage(2 * minute),
      outage(5, { retryAfterSeconds: 90 }),
      outage(2 * minute, { retryAfterSeconds: 30 }),
    ])
    const survived = await survive(mode, faults, large)
    expect(survived).toHaveLength(faults.length)
    for (const each of survived) {
      expectCalm(each, mostLoad(mode, large))
      expect(each.affectedDevices).toBeGreaterThan(0.1 * large.devices)
    }
  })
})

describe('Back-off: a fleet with one request for all work', { timeout: 3_600_000 }, () => {
  it.each([
    outage(10),
    outage(2 * minute, { letsGo: true }),
    outage(5, { retryAfterSeconds: 90 }),
    outage(hour),
  ])(
    'is back in time after %o, and never comes harder than a fleet that polls comes all day',
    async (fault) => {
      const { devices } = large
      const report = await simulateFleet({
        devices,
        hours: (fault.forSeconds + 20 * minute) / hour,
        faults: [{ ...fault, atSeconds: 10 * minute }],
        searchesPerDevicePerDay: 0,
        cloud: (world) => realCloud(world),
      })
      const { perSecond, steadyPerSecond } = report.requests
      expect(steadyPerSecond).toBeLessThan((1.3 * devices) / 270)
      expect(report.faults[0]!.affectedDevices).toBeGreaterThan(0.03 * devices)
      expect(report.faults[0]!.recovered95Seconds).toBeLessThanOrEqual(180)
      const polls = modes[0]!
      const most = mostLoad(polls, large) * devices * polls.steadyPerDevice
      expect(busiest(perSecond, 10 * minute, perSecond.length, 1)).toBeLessThanOrEqual(most)
    },
  )
})

const allModes = isWhole ? [...modes, restingPolls] : modes

describe.each(allModes)('Back-off: a fleet with $mode', { timeout: 3_600_000 }, (mode) => {
  it.each([10, 2 * minute, 5 * minute, 28 * minute, 6 * hour])(
    'comes back calmly and soon after %i s without a cloud',
    async (seconds) => {
      const fleet = seconds === 6 * hour ? { ...small, devices: sizeOf(50) } : small
      const [survived] = await survive(mode, [outage(seconds)], fleet)
      expectCalm(survived!)
      expect(survived!.affectedDevices).toBeGreaterThan(0.3 * fleet.devices)
    },
  )

  const faults: [string, FleetFault][] = [
    ['a restart that lets go of the held polls', outage(2, { letsGo: true })],
    ['a minute that asks for 30 s of patience', outage(minute, { retryAfterSeconds: 30 })],
    ['five seconds that ask for a minute and a half', outage(5, { retryAfterSeconds: 90 })],
    ['a minute of 503', { kind: 'server-errors', atSeconds, forSeconds: minute, status: 503 }],
    [
      'a minute of 503 that asks for a minute and a half',
      { kind: 'server-errors', atSeconds, forSeconds: minute, status: 503, retryAfterSeconds: 90 },
    ],
  ]
  it.each(faults)('comes back as calmly after %s', async (_, fault) => {
    const [survived] = await survive(mode, [fault], small)
    expectCalm(survived!)
  })

  it.each([minute, 10 * minute, 28 * minute])(
    'C16: comes back calmly with its next probes after %i s of refused keys',
    async (forSeconds) => {
      const backWithin = 1.1 * lastProbeSeconds(forSeconds)
      const fault: FleetFault = { kind: 'unauthorized', atSeconds, forSeconds }
      const [survived] = await survive(mode, [fault], small, { afterSeconds: backWithin })
      expect(survived!.load).toBeLessThanOrEqual(1.5)
      expect(survived!.affectedDevices).toBeGreaterThanOrEqual(0.95 * small.devices)
      expect(survived!.recovered95Seconds).toBeLessThanOrEqual(backWithin)
    },
  )

  it('C16: stays calm in a storm of refused keys that comes again and again', async () => {
    const storms = [0, 1, 2].map((at): FleetFault => ({
      kind: 'unauthorized',
      atSeconds: atSeconds + at * 400,
      forSeconds: minute,
    }))
    const survived = await survive(mode, storms, small, { afterSeconds: 1.1 * 10 * minute })
    expect(survived).toHaveLength(3)
    for (const { load } of survived) expect(load).toBeLessThanOrEqual(1.5)
    expect(survived.at(-1)!.recovered95Seconds).toBeLessThanOrEqual(1.1 * 10 * minute)
  })

  it('boots in the same second without a herd when its first beats are spread, and with one when not', async () => {
    const fault: FleetFault = { kind: 'reboot', atSeconds }
    const [survived] = await survive(mode, [fault], small, { spread: true })
    expectCalm(survived!)
    expect(survived!.affectedDevices).toBe(small.devices)
    const [together] = await survive(mode, [fault], small)
    expect(together!.busiestPerSecond).toBeGreaterThanOrEqual(small.devices)
  })

  it('stays calm through a day of outages, of refused keys and of a boot in the same second', async () => {
    const day: FleetFault[] = [
      { kind: 'outage', atSeconds: 2 * hour, forSeconds: 10 },
      { kind: 'outage', atSeconds: 4 * hour, forSeconds: 2 * minute },
      { kind: 'unauthorized', atSeconds: 6 * hour, forSeconds: minute },
      { kind: 'outage', atSeconds: 8 * hour, forSeconds: 28 * minute },
      { kind: 'reboot', atSeconds: 11 * hour },
      { kind: 'outage', atSeconds: 14 * hour, forSeconds: 6 * hour },
    ]
    const survived = await survive(mode, day, small, { afterSeconds: 4 * hour, spread: true })
    expect(survived).toHaveLength(day.length)
    for (const { load, fault, recovered95Seconds, affectedDevices } of survived) {
      expect(load).toBeLessThanOrEqual(1.5)
      expect(affectedDevices).toBeGreaterThan(0.3 * small.devices)
      expect(recovered95Seconds).toBeLessThanOrEqual(fault.kind === 'unauthorized' ? 1.1 * 5 * minute : 180)
    }
  })
})
