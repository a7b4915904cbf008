import { createDeviceAgent, type DeviceAgent } from '../agent/create-device-agent.ts'
import { DeviceCloudError } from '../device-cloud-error.ts'
import { createFleetClient } from './create-fleet-client.ts'
import { createFleetCodec } from './fleet-codec.ts'
import { createFleetDashboard, type FleetDashboard } from './fleet-dashboard.ts'
import { checkFault, endOf, type FleetFault } from './fleet-fault.ts'
import { createFleetLog, type FleetLog } from './fleet-log.ts'
import { createFleetNetwork, type FleetNetwork } from './fleet-network.ts'
import type { FleetOptions, FleetReport, FleetWorld, SimulatedCloud } from './fleet-options.ts'
import { createSeededId, createSeededRandom } from './seeded-random.ts'
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts'

const startMs = Date.UTC(2026, 0, 1)
const day = 86_400
/** After the last device started: their polls and beats have spread by then. */
const settlingSeconds = 60
const searchEverySeconds = 60

/** One run. */
interface Fleet {
  readonly options: FleetOptions
  readonly clock: VirtualClock
  readonly random: () => number
  readonly log: FleetLog
  readonly network: FleetNetwork
  readonly dashboard: FleetDashboard
  readonly deviceIds: readonly string[]
  readonly agents: readonly DeviceAgent[]
}

/**
 * Runs a fleet of real device agents against a real cloud, on a virtual clock: no sockets, no waiting. Their loops,
 * back-off and outbox are those of {@link createDeviceAgent}; only the way between device and cloud is simulated.
 *
 * @throws {DeviceCloudError} `INVALID_OPTION`; `REJECTED` when the cloud lets no user in.
 * @example
 * const report = await simulateFleet({
 *   devices: 1000,
 *   hours: 1,
 *   faults: [{ kind: 'outage', atSeconds: 600, forSeconds: 120 }],
 *   cloud: (world) =>
 *     createCloud({ ...world, store: createMemoryStore(), blobs: createMemoryBlobs(), sessions: createLocalSessions() }),
 * })
 * console.log(report.requests.steadyPerSecond, report.faults[0]?.busiestPerSecond)
 */
export async function simulateFleet(options: FleetOptions): Promise<FleetReport> {
  checkOptions(options)
  const { seed = 1 } = options
  const clock = createVirtualClock(startMs)
  const cloud = await options.cloud(createWorld(clock, seed))
  const fleet = await createFleet(options, clock, cloud)
  startAgents(fleet)
  await runTimeline(fleet)
  await Promise.all(fleet.agents.map((agent) => agent.stop()))
  const searches = await fleet.dashboard.countSearches()
  await cloud.close?.()
  const { log } = fleet
  const { perSecond, byCall, byStatus } = log
  return {
    devices: options.devices,
    hours: options.hours,
    seed,
    requests: {
      total: perSecond.reduce((sum, count) => sum + count, 0),
      byCall,
      byStatus,
      perSecond,
      steadyPerSecond: meanOf(quietSeconds(perSecond, options)),
      busiestPerSecond: perSecond.reduce((most, count) => Math.max(most, count), 0),
    },
    faults: log.reports(),
    searches,
  }
}

function createWorld({ now, timers }: VirtualClock, seed: number): FleetWorld {
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
  const beganMs = clock.now()
  const log = createFleetLog(devices, Math.ceil(hours * 3600), () => clock.now() - beganMs)
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
  return { options, clock, random, log, network, dashboard, deviceIds, agents }
}

function startAgents({ options, clock, random, agents }: Fleet): void {
  const { startOverSeconds = 150 } = options
  for (const agent of agents) {
    if (startOverSeconds === 0) agent.start()
    else clock.timers.setTimeout(() => agent.start(), random() * startOverSeconds * 1000)
  }
}

/** What happens from outside, each thing at its second. */
async function runTimeline(fleet: Fleet): Promise<void> {
  const { options, clock, network, log } = fleet
  const endSeconds = options.hours * 3600
  const moments: { readonly atSeconds: number; readonly run: () => unknown }[] = []
  for (const fault of options.faults ?? []) {
    moments.push({
      atSeconds: fault.atSeconds,
      run() {
        log.beginFault(fault)
        return fault.kind === 'reboot' ? reboot(fleet) : network.begin(fault)
      },
    })
    if (fault.kind !== 'reboot') moments.push({ atSeconds: endOf(fault), run: () => network.end(fault) })
  }
  for (let atSeconds = searchEverySeconds; atSeconds < endSeconds; atSeconds += searchEverySeconds) {
    moments.push({ atSeconds, run: () => searchSome(fleet) })
  }
  const beganMs = clock.now()
  for (const { atSeconds, run } of moments.toSorted((a, b) => a.atSeconds - b.atSeconds)) {
    if (atSeconds >= endSeconds) break
    await clock.advanceTo(beganMs + atSeconds * 1000)
    await run()
  }
  await clock.advanceTo(beganMs + endSeconds * 1000)
}

/** Starts every device anew; stopping needs no time, since nothing of an agent waits for the network then. */
async function reboot({ agents, log }: Fleet): Promise<void> {
  await Promise.all(agents.map((agent) => agent.stop()))
  for (const [device, agent] of agents.entries()) {
    log.restart(device)
    agent.start()
  }
}

/** Creates as many searches as come together in one period. */
async function searchSome({ options, random, deviceIds, dashboard }: Fleet): Promise<void> {
  const { searchesPerDeviceADay = 4 } = options
  const expected = (deviceIds.length * searchesPerDeviceADay * searchEverySeconds) / day
  const count = Math.min(1000, Math.floor(expected + random()))
  const chosen = new Set<string>()
  for (let at = 0; at < count; at += 1) {
    const id = deviceIds[Math.floor(random() * deviceIds.length)]
    if (id !== undefined) chosen.add(id)
  }
  if (chosen.size > 0) await dashboard.search([...chosen])
}

function quietSeconds(perSecond: Uint32Array, options: FleetOptions): Uint32Array {
  const { startOverSeconds = 150, faults = [] } = options
  const from = Math.ceil(startOverSeconds) + settlingSeconds
  const until = Math.floor(Math.min(perSecond.length - 1, ...faults.map(({ atSeconds }) => atSeconds)))
  return until > from ? perSecond.subarray(from, until) : perSecond
}

const meanOf = (counts: Uint32Array) =>
  counts.reduce((sum, count) => sum + count, 0) / Math.max(1, counts.length)

function checkOptions({ devices, hours, faults = [] }: FleetOptions): void {
  const fail = (problem: string) => {
    throw new DeviceCloudError('INVALID_OPTION', `Simulating a fleet failed: ${problem}.`)
  }
  if (!Number.isInteger(devices) || devices < 1 || devices > 100_000) {
    fail('devices must be a whole number from 1 to 100000')
  }
  if (!(hours > 0 && hours <= 24 * 31)) fail('hours must be a number above 0, at most 744')
  faults.forEach((fault: FleetFault) => checkFault(fault))
}
