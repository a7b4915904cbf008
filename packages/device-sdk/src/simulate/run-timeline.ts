import type { DeviceAgent } from '../agent/create-device-agent.ts'
import type { FleetDashboard } from './fleet-dashboard.ts'
import { endOf, type FleetFault } from './fleet-fault.ts'
import type { FleetLog } from './fleet-log.ts'
import type { FleetNetwork } from './fleet-network.ts'
import { loopSecondsOf, startSecondsOf, type FleetOptions } from './fleet-options.ts'
import type { FleetSchedule } from './fleet-schedule.ts'
import { stepMs } from './virtual-clock.ts'

/** One run. */
export interface Fleet {
  readonly options: FleetOptions
  readonly schedule: FleetSchedule
  readonly random: () => number
  readonly log: FleetLog
  readonly network: FleetNetwork
  readonly dashboard: FleetDashboard
  readonly deviceIds: readonly string[]
  readonly agents: readonly DeviceAgent[]
}

const dayMs = 86_400_000
const searchEveryMs = 60_000
/** How often it is looked whether the fleet is calm. */
const lookEveryMs = 10_000
/** What is lived before each change. */
const marginSeconds = 30
/** To leave out less is not worth it. */
const worthSeconds = 600

interface Change {
  readonly atSeconds: number
  readonly run: () => void | Promise<void>
}

/** Lets time pass, and everything happen at its second. */
export async function runTimeline(fleet: Fleet): Promise<void> {
  const { options, log, network } = fleet
  const { hours, faults = [] } = options
  const endSeconds = hours * 3600
  const calm = createSteadyState(log, options)
  const liveUntil = createSimulatedProcess(fleet, calm)

  async function begin(fault: FleetFault): Promise<void> {
    log.beginFault(fault)
    calm.begin(fault)
    if (fault.kind === 'reboot') await reboot(fleet)
    else network.begin(fault)
  }

  function end(fault: FleetFault): void {
    calm.end(fault)
    network.end(fault)
  }

  const lasting = faults.filter(({ kind }) => kind !== 'reboot')
  const changes: readonly Change[] = [
    ...faults.map((fault) => ({ atSeconds: fault.atSeconds, run: () => begin(fault) })),
    ...lasting.map((fault) => ({ atSeconds: endOf(fault), run: () => end(fault) })),
  ]
  for (const { atSeconds, run } of changes.toSorted((a, b) => a.atSeconds - b.atSeconds)) {
    if (atSeconds >= endSeconds) break
    await liveUntil(atSeconds)
    await run()
  }
  await liveUntil(endSeconds)
}

/** Builds what lets a fleet live until a second of its schedule; calm time before it is left out. */
function createSimulatedProcess(fleet: Fleet, calm: SteadyState): (atSeconds: number) => Promise<void> {
  const { options, schedule } = fleet
  let nextSearchMs = searchEveryMs

  async function look(resumeSeconds: number): Promise<void> {
    if (schedule.livedMs() + stepMs >= nextSearchMs) {
      nextSearchMs += searchEveryMs
      await searchSome(fleet)
    }
    const fromSeconds = (schedule.elapsedMs() + stepMs) / 1000
    if (options.everySecond || resumeSeconds - fromSeconds < worthSeconds) return
    if (calm.isCalm(fromSeconds)) schedule.leaveOut({ fromSeconds, toSeconds: resumeSeconds })
  }

  return async (atSeconds) => {
    const untilMs = Math.round(atSeconds * 1000)
    while (schedule.elapsedMs() < untilMs) {
      // a step before the second is over, so that what is left out begins with a whole one
      const nextLookMs = lookEveryMs - ((schedule.livedMs() + stepMs) % lookEveryMs)
      const leftMs = untilMs - schedule.elapsedMs()
      await schedule.live(Math.min(nextLookMs, leftMs))
      if (nextLookMs <= leftMs) await look(Math.floor(atSeconds) - marginSeconds)
    }
  }
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
  const { searchesPerDevicePerDay = 4 } = options
  const expected = (deviceIds.length * searchesPerDevicePerDay * searchEveryMs) / dayMs
  const count = Math.min(1000, Math.floor(expected + random()))
  const chosen = new Set<string>()
  for (let at = 0; at < count; at += 1) {
    const id = deviceIds[Math.floor(random() * deviceIds.length)]
    if (id !== undefined) chosen.add(id)
  }
  if (chosen.size > 0) await dashboard.search([...chosen])
}

/** Knows when a fleet is calm: when everything that comes is what came before, until something is changed. */
interface SteadyState {
  begin(fault: FleetFault): void
  end(fault: FleetFault): void
  isCalm(nowSeconds: number): boolean
}

/** Counts of so many seconds are compared. */
const spanSeconds = 10
/** In an outage every loop has reached its longest pause by then. */
const longestPauseSeconds = 420

/** Builds it for a fleet that begins to start. */
function createSteadyState(log: FleetLog, options: FleetOptions): SteadyState {
  const underWay = new Set<FleetFault>()
  /** What is looked at, which has to lie behind each change: two held requests of a loop. */
  const calmSeconds = 2 * loopSecondsOf(options)
  let changedSeconds = startSecondsOf(options)

  function note(atSeconds: number): void {
    changedSeconds = Math.max(changedSeconds, atSeconds)
  }

  /** Whether all that works does; in an outage, whether nobody expects it to any more. */
  function isSettled(sinceChange: number): boolean {
    if (underWay.size === 0) return sinceChange >= calmSeconds && log.failingDevices() === 0
    return (
      sinceChange >= longestPauseSeconds + calmSeconds && [...underWay].every(({ kind }) => kind === 'outage')
    )
  }

  return {
    begin(fault) {
      note(fault.atSeconds)
      if (fault.kind !== 'reboot') underWay.add(fault)
    },
    end(fault) {
      underWay.delete(fault)
      note(endOf(fault))
    },
    isCalm: (nowSeconds) =>
      isSettled(nowSeconds - changedSeconds) && isSteady(log.perSecond, nowSeconds, calmSeconds),
  }
}

/** Whether no span before `nowSeconds` was busier or calmer than the others by a tenth, and by more than chance explains. */
function isSteady(perSecond: Uint32Array, nowSeconds: number, calmSeconds: number): boolean {
  const until = Math.floor(nowSeconds)
  const spans = Array.from({ length: calmSeconds / spanSeconds }, (_, at) => {
    const from = until - (at + 1) * spanSeconds
    return perSecond.subarray(from, from + spanSeconds).reduce((sum, count) => sum + count, 0)
  })
  const mean = spans.reduce((sum, count) => sum + count, 0) / spans.length
  const most = mean / 10 + 4 * Math.sqrt(mean)
  return spans.every((count) => Math.abs(count - mean) <= most)
}
