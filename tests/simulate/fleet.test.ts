import { simulateFleet, type FleetFault, type FleetOptions } from '@homeward/device-sdk/simulate'
import { expect, it, vi } from 'vitest'
import { realCloud } from './fleet-clouds.ts'

vi.setConfig({ testTimeout: 120_000 })

const run = (options: Partial<FleetOptions>) =>
  simulateFleet({
    devices: 20,
    hours: 0.5,
    everySecond: true,
    cloud: (world) => realCloud(world),
    ...options,
  })

const faults: FleetFault[] = [
  { kind: 'lost-answers', atSeconds: 300, forSeconds: 300, share: 0.3 },
  { kind: 'server-errors', atSeconds: 700, forSeconds: 200, share: 0.5, status: 502 },
  { kind: 'slow-answers', atSeconds: 1000, forSeconds: 200, delaySeconds: 20, share: 0.5 },
]

it('repeats a run exactly for the same seed, and gives another one for another seed', async () => {
  const options = { faults, searchesPerDevicePerDay: 200 }
  const [first, second, other] = [await run(options), await run(options), await run({ ...options, seed: 2 })]
  expect(second).toEqual(first)
  expect(other.requests.perSecond).not.toEqual(first.requests.perSecond)
})

it('C9, C17: settles every search once, whatever is lost, refused or late on its way', async () => {
  const calm = 1500 / 1800 // no search of the last minutes is still on its way
  const report = await run({
    hours: 1,
    faults: [
      ...faults,
      { kind: 'rate-limited', atSeconds: 1300, forSeconds: 200, share: 0.5, retryAfterSeconds: 20 },
      { kind: 'reboot', atSeconds: 1600 },
      { kind: 'slow-answers', atSeconds: 1700, forSeconds: 200, delaySeconds: 120, share: 0.3 },
      { kind: 'outage', atSeconds: 2000, forSeconds: 300 },
    ],
    searchesPerDevicePerDay: 400,
  })
  const { created, completed, failed, pending, lost } = report.searches
  expect(created).toBeGreaterThan(200)
  expect({ lost, failed, settled: completed + pending }).toEqual({ lost: 0, failed: 0, settled: created })
  expect(completed).toBeGreaterThan(created * calm)
  expect(Object.keys(report.requests.byStatus)).toEqual(expect.arrayContaining(['0', '200', '429', '502']))
  expect(report.faults.at(-1)).toMatchObject({ fault: { kind: 'outage' }, affectedDevices: 20 })
  expect(report.faults.at(-1)?.recovered95Seconds).toBeLessThanOrEqual(180)
})

it('asks for all work with one held request, and settles every search', async () => {
  const report = await run({ hours: 1, searchesPerDevicePerDay: 200 })
  const { sendHeartbeat, takeWork, listPendingSearches, listPendingUploads } = report.requests.byCall
  expect({ sendHeartbeat, listPendingSearches, listPendingUploads }).toEqual({
    sendHeartbeat: 20,
    listPendingSearches: 0,
    listPendingUploads: 0,
  })
  // each search is answered by one, and another one follows
  const { created, completed, lost, p50Seconds } = report.searches
  expect(takeWork).toBeLessThan(20 * (3600 / 240 + 2) + 2 * created)
  expect({ lost, completed }).toEqual({ lost: 0, completed: created })
  expect(p50Seconds).toBeLessThanOrEqual(1)
})

it('C21: takes the pace that the cloud asks for', async () => {
  const paced = await run({
    settings: { work: 'poll' },
    cloud: (world) => realCloud(world, { heartbeatIntervalSeconds: 120 }),
  })
  const { byCall } = paced.requests
  expect(byCall.sendHeartbeat).toBeGreaterThan((20 * 1800) / 140)
  expect(byCall.sendHeartbeat).toBeLessThan((20 * 1800) / 100)
})

it.each([
  ['devices', { devices: 0 }],
  ['hours', { hours: 0 }],
  ['share', { faults: [{ kind: 'lost-answers', atSeconds: 0, forSeconds: 1, share: 2 }] }],
  ['forSeconds', { faults: [{ kind: 'outage', atSeconds: 0, forSeconds: Number.NaN }] }],
] satisfies [string, Partial<FleetOptions>][])('refuses %s that cannot be', async (name, options) => {
  await expect(run(options)).rejects.toMatchObject({
    code: 'INVALID_OPTION',
    message: expect.stringContaining(name) as string,
  })
})

it('says so when the cloud lets no user in', async () => {
  const cloud = (world: Parameters<typeof realCloud>[0]) =>
    realCloud(world, { sessions: { resolve: () => null } })
  await expect(run({ cloud })).rejects.toMatchObject({ code: 'REJECTED' })
})
