import { endOf, type FleetFault } from './fleet-fault.ts'

/** The operations that a device calls. */
const deviceCalls = [
  'sendHeartbeat',
  'takeWork',
  'listPendingSearches',
  'listPendingUploads',
  'reportSearch',
  'uploadFile',
] as const

/** A call of a device: one of {@link deviceCalls}. */
export type DeviceCall = (typeof deviceCalls)[number]

/** A device is back when its loops are: its heartbeat with the request for all work, or both polls if they do not wait to be told. */
const loopBits: Readonly<Record<string, number>> = {
  sendHeartbeat: 1,
  listPendingSearches: 2,
  listPendingUploads: 4,
  takeWork: 8,
}
/** Loops of a device that has to be back, by how it asks for work. */
const neededLoops = { held: 1 + 8, poll: 1 + 2 + 4, rest: 1 } as const

/** Effects of one fault. */
export interface FaultReport {
  readonly fault: FleetFault
  /** Requests in the busiest second from the start of the fault to the next fault or the end. */
  readonly busiestPerSecond: number
  /** Number of devices that had a failed request or were restarted. */
  readonly affectedDevices: number
  /** Seconds from the end of the fault until 95 % of the affected devices worked again; Infinity if they did not. */
  readonly recovered95Seconds: number
}

/** Requests of a fleet, by second of its schedule. */
export interface FleetLog {
  readonly perSecond: Uint32Array
  readonly byCall: Record<DeviceCall, number>
  readonly byStatus: Record<string, number>
  /** Counts a request as it leaves its device. */
  arrive(call: DeviceCall): void
  /** Notes that a request of `device` reached the cloud. */
  reach(device: number, call: DeviceCall): void
  /** Notes an answer; `status` 0 for none. */
  answer(device: number, call: DeviceCall, status: number): void
  /** Notes that `device` starts anew. */
  restart(device: number): void
  /** How many devices do not work at the moment. */
  readonly failingDevices: () => number
  beginFault(fault: FleetFault): void
  reports(): readonly FaultReport[]
}

interface Watch {
  readonly fault: FleetFault
  readonly affected: Uint8Array
  /** When each affected device worked again for good. */
  readonly backMs: Float64Array
}

/** What is logged. */
interface FleetLogSetup {
  readonly devices: number
  readonly seconds: number
  readonly elapsedMs: () => number
  /** How work is asked for; `rest` are polls that rest for as long as heartbeats tell that nothing waits. */
  readonly asks: keyof typeof neededLoops
}

/** Builds the log of a fleet. */
export function createFleetLog({ devices, seconds, elapsedMs, asks }: FleetLogSetup): FleetLog {
  const needed = neededLoops[asks]
  const perSecond = new Uint32Array(seconds + 1)
  const failing = new Uint8Array(devices)
  let failingDevices = 0
  const watches: Watch[] = []
  const byCall = Object.fromEntries(deviceCalls.map((call) => [call, 0])) as Record<DeviceCall, number>
  const byStatus: Record<string, number> = {}

  function toReport({ fault, affected, backMs }: Watch, until: number): FaultReport {
    const fromSecond = Math.floor(fault.atSeconds)
    const backSeconds: number[] = []
    for (let device = 0; device < devices; device += 1) {
      if (affected[device] === 0) continue
      backSeconds.push(Math.max(0, backMs[device]! / 1000 - endOf(fault)))
    }
    backSeconds.sort((a, b) => a - b)
    return {
      fault,
      busiestPerSecond: perSecond
        .subarray(fromSecond, until)
        .reduce((most, count) => Math.max(most, count), 0),
      affectedDevices: backSeconds.length,
      recovered95Seconds: backSeconds[Math.ceil(backSeconds.length * 0.95) - 1] ?? 0,
    }
  }

  function noteFailing(device: number, loops: number): void {
    const failed = failing[device]!
    failing[device] = failed | (loops & needed)
    if (failed === 0 && failing[device] !== 0) failingDevices += 1
    const watch = watches.at(-1)
    if (!watch || failing[device] === 0) return
    watch.affected[device] = 1
    watch.backMs[device] = Number.POSITIVE_INFINITY
  }

  return {
    perSecond,
    byCall,
    byStatus,
    arrive(call) {
      byCall[call] += 1
      const second = Math.floor(elapsedMs() / 1000)
      perSecond[second] = (perSecond[second] ?? 0) + 1
    },
    reach(device, call) {
      if (failing[device] === 0) return
      failing[device]! &= ~(loopBits[call] ?? 0)
      if (failing[device] !== 0) return
      failingDevices -= 1
      const watch = watches.at(-1)
      if (watch) watch.backMs[device] = elapsedMs()
    },
    answer(device, call, status) {
      byStatus[status] = (byStatus[status] ?? 0) + 1
      if (status >= 200 && status < 300) return
      noteFailing(device, loopBits[call] ?? 0)
    },
    restart(device) {
      noteFailing(device, needed)
    },
    failingDevices: () => failingDevices,
    beginFault(fault) {
      watches.push({ fault, affected: new Uint8Array(devices), backMs: new Float64Array(devices) })
    },
    reports: () =>
      watches.map((watch, at) => {
        const next = watches[at + 1]
        return toReport(watch, next ? Math.floor(next.fault.atSeconds) : perSecond.length)
      }),
  }
}
