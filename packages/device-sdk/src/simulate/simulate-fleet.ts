import { createDeviceAgent, type DeviceAgent } from '../agent/create-device-agent.ts'
import { DeviceCloudError } from '../device-cloud-error.ts'
import { createFleetClient } from './create-fleet-client.ts'
import { createFleetCodec } from './fleet-codec.ts'
import { createFleetDashboard } from './fleet-dashboard.ts'
import { checkFault, type FleetFault } from './fleet-fault.ts'
import { createFleetLog } from './fleet-log.ts'
import { createFleetNetwork } from './fleet-network.ts'
import {
  startSecondsOf,
  type FleetEnvironment,
  type FleetOptions,
  type FleetReport,
  type SimulatedCloud,
} from './fleet-options.ts'
import { createFleetSchedule } from './fleet-schedule.ts'
import { runTimeline, type Fleet } from './run-timeline.ts'
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts'

const startMs = Date.UTC(2026, 0, 1)
/** After the last device started: their polls and beats have spread by then. */
const settlingSeconds = 60

/**
 * Runs many real device agents against a real cloud on a virtual clock, without sockets and waiting.
 *
 * The agents' loops, back-off and outbox are those of {@link createDeviceAgent}; only the network is simulated. Of
 * long quiet periods, only the start and the end are simulated.
 *
 * @throws {DeviceCloudError} `INVALID_OPTION`; `REJECTED` if the cloud rejects the user's session.
 * @example
 * const report = await simulateFleet({
 *   devices: 1000,
 *   hours: 1,
 *   faults: [{ kind: 'outage', atSeconds: 600, forSeconds: 120 }],
 *   cloud: (world) =>
 *     createDeviceCloud({ ...world, store: createMemoryStore(), blobs: createMemoryBlobs(), sessions: createSingleUserSessions() }),
 * })
 * console.log(report.requests.steadyPerSecond, report.faults[0]?.busiestPerSecond)
 */
export async function simulateFleet(options: FleetOptions): Promise<FleetReport> {
  checkOptions(options)
  const { seed = 1 } = options
  const clock = createVirtualClock(startMs)
  const cloud = await options.cloud(createWorld(clock, seed))
  const fleet = await createFleet(options, clock, cloud)
  startAgents(fleet, clock)
  await runTimeline(fleet)
  await Promise.all(fleet.agents.map((agent) => agent.stop()))
  const searches = await fleet.dashboard.countSearches()
  await cloud.close?.()
  const { log, schedule } = fleet
  const { perSecond, byCall, byStatus } = log
  return {
    devices: options.devices,
    hours: options.hours,
    seed,
    simulatedSeconds: schedule.livedMs() / 1000,
    skippedRanges: schedule.skippedRanges,
    requests: {
      total: sumOf(perSecond),
      byCall,
      byStatus,
      perSecond,
      steadyPerSecond: steadyPerSecond(fleet),
      busiestPerSecond: perSecond.reduce((most, count) => Math.max(most, count), 0),
    },
    faults: log.reports(),
    searches,
  }
}

function createWorld({ now, timers }: VirtualClock, seed: number): FleetEnvironment {
  const random = createSeededRandom(seed)
  return {
    now,
    timers,
    random,
    createId: createSeededId(random),
    randomBytes: (size) => Uint8Array.from({ length: size }, () => Math.floor(random() * 256)),
  }
}

async function createFleet(
  options: FleetOptions,
  clock: VirtualClock,
  cloud: SimulatedCloud,
): Promise<Fleet> {
  const { devices, hours, seed = 1, settings = {} } = options
  const random = createSeededRandom(seed + 1)
  const schedule = createFleetSchedule(clock)
  const log = createFleetLog({
    devices,
    seconds: Math.ceil(hours * 3600),
    elapsedMs: schedule.elapsedMs,
    asks: settings.work !== 'poll' ? 'held' : settings.waitSeconds === 0 ? 'rest' : 'poll',
  })
  const network = createFleetNetwork({ clock, random, log, respond: (request) => cloud.respond(request) })
  const dashboard = createFleetDashboard((request) => cloud.respond(request), options.headers ?? {})
  const codec = createFleetCodec()
  const deviceIds: string[] = []
  const agents: DeviceAgent[] = []
  for (let device = 0; device < devices; device += 1) {
    const { id, apiKey } = await dashboard.register(`device-${device}`)
    deviceIds.push(id)
    agents.push(
      createDeviceAgent({
        providers: { system: async () => ({ found: { cpu: '4 cores', memory: '8 GB', disk: '256 GB' } }) },
        metadata: { os: 'linux', version: '6.12', hardware: 'x64' },
        ...settings,
        client: createFleetClient(device, apiKey, network, codec),
        now: clock.now,
        timers: clock.timers,
        random,
      }),
    )
  }
  return { options, schedule, random, log, network, dashboard, deviceIds, agents }
}

function startAgents({ options, random, agents }: Fleet, { timers }: VirtualClock): void {
  const startOverSeconds = startSecondsOf(options)
  for (const agent of agents) {
    if (startOverSeconds === 0) agent.start()
    else timers.setTimeout(() => agent.start(), random() * startOverSeconds * 1000)
  }
}

/** Requests a second while nothing was changed: after the fleet started, before the first fault. */
function steadyPerSecond({ options, log, schedule }: Fleet): number {
  const { perSecond } = log
  const { faults = [] } = options
  const until = Math.floor(Math.min(perSecond.length - 1, ...faults.map(({ atSeconds }) => atSeconds)))
  const settled = Math.ceil(startSecondsOf(options)) + settlingSeconds
  const [from, to] = until > settled ? [settled, until] : [0, perSecond.length]
  const skippedRanges = schedule.skippedRanges.reduce(
    (sum, { fromSeconds, toSeconds }) =>
      sum + Math.max(0, Math.min(to, toSeconds) - Math.max(from, fromSeconds)),
    0,
  )
  return sumOf(perSecond.subarray(from, to)) / Math.max(1, to - from - skippedRanges)
}

const sumOf = (counts: Uint32Array) => counts.reduce((sum, count) => sum + count, 0)

function checkOptions({ devices, hours, faults = [] }: FleetOptions): void {
  const fail = (problem: string) => {
    throw new DeviceCloudError('INVALID_OPTION', `Simulating a fleet failed: ${problem}.`)
  }
  if (!Number.isInteger(devices) || devices < 1 || devices > 100_000) {
    fail('"devices" must be an integer between 1 and 100000')
  }
  if (!(hours > 0 && hours <= 24 * 31)) fail('"hours" must be a number greater than 0 and at most 744')
  faults.forEach((fault: FleetFault) => checkFault(fault))
}

/** Numbers from 0 to 1, the same ones for the same seed (mulberry32). */
export function createSeededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** An id of the form of a UUID; unlike a real one it can be told in advance. */
function createSeededId(random: () => number): () => string {
  const hex = (digits: number) =>
    Math.floor(random() * 16 ** digits)
      .toString(16)
      .padStart(digits, '0')
  return () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(6)}${hex(6)}`
}
