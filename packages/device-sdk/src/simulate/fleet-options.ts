import type { PlainReply, RequestView } from '@homeward/contract/handler'
import type { AgentSettings } from '../agent/agent-options.ts'
import type { Timers } from '../ports/index.ts'
import type { FleetFault } from './fleet-fault.ts'
import type { DeviceCall, FaultReport } from './fleet-log.ts'
import type { SearchCounts } from './fleet-dashboard.ts'
import type { TimeRange } from './fleet-schedule.ts'

/** Clock, random numbers and ids for a simulated cloud, so that a run can be repeated exactly. */
export interface FleetEnvironment {
  /** Returns the milliseconds since 1970 in virtual time. */
  readonly now: () => number
  readonly timers: Timers
  /** Returns random numbers from 0 to 1. */
  readonly random: () => number
  readonly createId: () => string
  readonly randomBytes: (size: number) => Uint8Array
}

/** A cloud to test: the `respond` function of a handler, as in `createDeviceCloud` of `@homeward/cloud-core`. */
export interface SimulatedCloud {
  /** Responds to one request. Must use only promises and the simulation's `timers`: no sockets and no real time. */
  respond(request: RequestView): Promise<PlainReply>
  /** Called once at the end of the simulation. */
  close?(): Promise<unknown>
}

/** Options of a simulation. */
export interface FleetOptions {
  /** Creates the cloud on the simulation's clock. */
  readonly cloud: (world: FleetEnvironment) => SimulatedCloud | Promise<SimulatedCloud>
  /** Number of devices, 1 to 100,000. */
  readonly devices: number
  /** Duration in virtual hours. */
  readonly hours: number
  /** Faults to simulate. @default no faults */
  readonly faults?: readonly FleetFault[]
  /** Seed of the random numbers. The same seed gives the same run. @default 1 */
  readonly seed?: number
  /**
   * Seconds over which the devices start; 0 to start all at once.
   *
   * @default the duration of a device's long poll (270), and at least 150
   */
  readonly startOverSeconds?: number
  /** Number of searches per device in 24 simulated hours. @default 4 */
  readonly searchesPerDevicePerDay?: number
  /**
   * Whether to simulate quiet periods completely.
   *
   * If false, the simulation skips ahead to the next fault once all devices work and requests are evenly spread, or
   * once an outage has brought every loop to its longest delay. See `skippedRanges` of the report.
   *
   * @default false
   */
  readonly everySecond?: boolean
  /** Options of each agent, in addition to those that the simulation sets. @default the defaults of an agent */
  readonly settings?: Partial<Omit<AgentSettings, 'now' | 'random' | 'timers' | 'outbox' | 'files'>>
  /** Headers of a user's session, if the cloud needs one. @default no headers: the cloud treats requests as local */
  readonly headers?: Readonly<Record<string, string>>
}

/** Result of a simulation. Equal options give equal results. */
export interface FleetReport {
  readonly devices: number
  readonly hours: number
  readonly seed: number
  /** Simulated seconds of the `hours`. All other figures count only these seconds. */
  readonly simulatedSeconds: number
  /** Skipped quiet periods, in order. Clocks do not jump there; see `everySecond` of the options. */
  readonly skippedRanges: readonly TimeRange[]
  readonly requests: {
    /** Number of requests. */
    readonly total: number
    readonly byCall: Readonly<Record<DeviceCall, number>>
    /** Number of requests by HTTP status; `0` for those without a response. */
    readonly byStatus: Readonly<Record<string, number>>
    /** Number of requests in each second since the start; 0 for skipped seconds. */
    readonly perSecond: Uint32Array
    /**
     * Mean number of requests per second in the quiet time after all devices had started and before the first fault.
     */
    readonly steadyPerSecond: number
    readonly busiestPerSecond: number
  }
  /** Effects of each fault, in order of time. */
  readonly faults: readonly FaultReport[]
  readonly searches: SearchCounts
}

/** Seconds that the cloud may hold the longest request of each device. */
export const loopSecondsOf = ({ settings = {} }: FleetOptions): number =>
  settings.waitSeconds || (settings.work === 'poll' ? 50 : 270)

/** Seconds over which the devices start: over less, a fleet would come in waves. */
export const startSecondsOf = (options: FleetOptions): number =>
  options.startOverSeconds ?? Math.max(150, loopSecondsOf(options))
