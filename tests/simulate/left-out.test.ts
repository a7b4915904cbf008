import {
  simulateFleet,
  type FleetFault,
  type FleetOptions,
  type FleetReport,
} from '@homeward/device-sdk/simulate'
import { expect, it, vi } from 'vitest'
import { realCloud } from './fleet-clouds.ts'

vi.setConfig({ testTimeout: 600_000 })

const minute = 60
const hour = 3600
const run = (options: Partial<FleetOptions>) =>
  simulateFleet({
    devices: 100,
    hours: 24,
    settings: { spreadFirstHeartbeat: true, work: 'poll' },
    cloud: (world) => realCloud(world),
    ...options,
  })

const leftOutSeconds = ({ skippedRanges }: FleetReport) =>
  skippedRanges.reduce((sum, { fromSeconds, toSeconds }) => sum + toSeconds - fromSeconds, 0)

/** Whether a second of the schedule was lived. */
const isLived = ({ skippedRanges }: FleetReport, second: number) =>
  skippedRanges.every(({ fromSeconds, toSeconds }) => second < fromSeconds || second >= toSeconds)

it('leaves out the calm of a day, says what, and counts what was lived', async () => {
  const outage: FleetFault = { kind: 'outage', atSeconds: 12 * hour, forSeconds: 10 }
  const report = await run({ faults: [outage] })
  expect(report.skippedRanges).toHaveLength(2)
  expect(report.simulatedSeconds + leftOutSeconds(report)).toBe(24 * hour)
  expect(report.simulatedSeconds).toBeLessThan(20 * minute)
  const { perSecond, steadyPerSecond, total } = report.requests
  expect(perSecond).toHaveLength(24 * hour + 1)
  expect(perSecond.every((count, second) => count === 0 || isLived(report, second))).toBe(true)
  expect(perSecond.reduce((sum, count) => sum + count, 0)).toBe(total)
  expect(steadyPerSecond / (100 * (1 / 30 + 2 / 50))).toBeCloseTo(1, 1)
  // some time before and after what happens, and at both ends
  for (const second of [0, 200, 12 * hour - 20, 12 * hour, 12 * hour + 90, 24 * hour - 20]) {
    expect(isLived(report, second)).toBe(true)
  }
})

it('finds the same as when every second is lived', async () => {
  const faults: FleetFault[] = [{ kind: 'outage', atSeconds: 0.25 * hour, forSeconds: 30 * minute }]
  const whole = await run({ hours: 1, faults, everySecond: true })
  const short = await run({ hours: 1, faults })
  expect(whole.skippedRanges).toEqual([])
  expect(whole.simulatedSeconds).toBe(hour)
  expect(short.simulatedSeconds).toBeLessThan(0.75 * hour)
  expect(short.requests.steadyPerSecond / whole.requests.steadyPerSecond).toBeCloseTo(1, 1)
  for (const [at, { affectedDevices, recovered95Seconds, busiestPerSecond }] of whole.faults.entries()) {
    const other = short.faults[at]!
    expect(other.affectedDevices).toBe(affectedDevices)
    expect(Math.abs(other.recovered95Seconds - recovered95Seconds)).toBeLessThan(30)
    expect(Math.abs(other.busiestPerSecond - busiestPerSecond)).toBeLessThan(8)
  }
})

it('lets no clock jump: neither device nor cloud can tell', async () => {
  let lastMs = 0
  let longestMs = 0
  let spanMs = 0
  const report = await run({
    cloud(world) {
      const cloud = realCloud(world)
      const beganMs = world.now()
      return {
        ...cloud,
        respond(request) {
          const nowMs = world.now()
          if (lastMs > 0) longestMs = Math.max(longestMs, nowMs - lastMs)
          lastMs = nowMs
          spanMs = nowMs - beganMs
          return cloud.respond(request)
        },
      }
    },
  })
  expect(leftOutSeconds(report)).toBeGreaterThan(23 * hour)
  expect(longestMs).toBeLessThan(10_000)
  expect(spanMs / 1000).toBeLessThanOrEqual(report.simulatedSeconds)
})

it('leaves nothing out while something goes on', async () => {
  const atSeconds = 0.5 * hour
  const faults: FleetFault[] = [
    { kind: 'unauthorized', atSeconds, forSeconds: 20 * minute },
    { kind: 'lost-answers', atSeconds, forSeconds: 20 * minute, share: 0.1 },
  ]
  for (const fault of faults) {
    const report = await run({ devices: 30, hours: 1, faults: [fault] })
    for (let second = atSeconds; second < atSeconds + 20 * minute; second += 10) {
      expect(isLived(report, second)).toBe(true)
    }
  }
})

it('lives for as long as a herd that booted in the same second comes in waves', async () => {
  const faults: FleetFault[] = [{ kind: 'reboot', atSeconds: 0.5 * hour }]
  const hours = 1
  const together = await run({ devices: 150, hours, faults, settings: { work: 'poll' } })
  const spread = await run({ devices: 150, hours, faults })
  const calmAfter = ({ skippedRanges }: FleetReport) =>
    skippedRanges.find(({ fromSeconds }) => fromSeconds > 0.5 * hour)?.fromSeconds ?? hours * hour
  expect(calmAfter(spread)).toBeLessThan(0.5 * hour + 300)
  expect(calmAfter(together)).toBeGreaterThan(0.5 * hour + 600)
})

it('gives equal reports for equal seeds, of lived time too', async () => {
  const faults: FleetFault[] = [{ kind: 'outage', atSeconds: 5 * hour, forSeconds: 30 * minute }]
  const options = { devices: 20, hours: 8, faults, searchesPerDevicePerDay: 200 }
  expect(await run(options)).toEqual(await run(options))
})
