import type { PlainReply, RequestView } from '@homeward/contract/handler'
import type { AgentSettings } from '../agent/agent-options.ts'
import type { Timers } from '../ports/index.ts'
import type { FleetFault } from './fleet-fault.ts'
import type { DeviceCall, FaultReport } from './fleet-log.ts'
import type { SearchCounts } from './fleet-dashboard.ts'
import type { TimeRange } from './fleet-schedule.ts'

/** Time, randomness and ids for a simulated cloud, so that a run can be repeated exactly. */
export interface FleetEnvironment {
  /** Milliseconds since 1970, in virtual time. */
  readonly now: () => number
  readonly timers: Timers
  /** Numbers from 0 to 1. */
  readonly random: () => number
  readonly createId: () => string
  readonly randomBytes: (size: number) => Uint8Array
}

/** A cloud under test: the handler that its faces over HTTP call, as `createDeviceCloud` of `@homeward/cloud-core` has it. */
export interface SimulatedCloud {
  /** Answers one request. Must need nothing but promises and `timers` of its world: no sockets, no real time. */
  respond(request: RequestView): Promise<PlainReply>
  /** Called once at the end of the simulation. */
  close?(): Promise<unknown>
}

/** Options of a simulation. */
export interface FleetOptions {
  /** Builds the cloud on the fleet's clock. */
  readonly cloud: (world: FleetEnvironment) => SimulatedCloud | Promise<SimulatedCloud>
  /** How many devices, 1 to 100,000. */
  readonly devices: number
  /** How long, in virtual hours. */
  readonly hours: number
  /** What goes wrong. @default nothing */
  readonly faults?: readonly FleetFault[]
  /** The same seed gives the same run. @default 1 */
  readonly seed?: number
  /**
   * Seconds over which the devices start for the first time; 0 for all at once.
   *
   * @default how long a device lets the cloud hold its request for work (270), and at least 150
   */
  readonly startOverSeconds?: number
  /** Searches for each device in 24 h that are lived. @default 4 */
  readonly searchesPerDevicePerDay?: number
  /**
   * Whether calm time is lived too. Else the fleet goes on where the next fault is near, once all devices work and
   * requests come evenly, or an outage has brought every loop to its longest pause; see `skippedRanges` of the report.
   *
   * @default false
   */
  readonly everySecond?: boolean
  /** Options of each agent, in addition to those that the simulation sets. @default the defaults of an agent */
  readonly settings?: Partial<Omit<AgentSettings, 'now' | 'random' | 'timers' | 'outbox' | 'files'>>
  /** Headers of a user's session, where the cloud wants one. @default none: the cloud is asked from this machine */
  readonly headers?: Readonly<Record<string, string>>
}

/** Report of a fleet. Equal options give equal reports. */
export interface FleetReport {
  readonly devices: number
  readonly hours: number
  readonly seed: number
  /** Seconds of the `hours` that the fleet lived; everything below is of them alone. */
  readonly simulatedSeconds: number
  /** Calm time that nobody lived, in the order of time. No clock jumped there; see `everySecond` of the options. */
  readonly skippedRanges: readonly TimeRange[]
  readonly requests: {
    /** Requests that were made. */
    readonly total: number
    readonly byCall: Readonly<Record<DeviceCall, number>>
    /** By HTTP status; `0` are those that got no answer. */
    readonly byStatus: Readonly<Record<string, number>>
    /** One number for each second since the start; 0 for those that were left out. */
    readonly perSecond: Uint32Array
    /** Mean of the quiet seconds: after all devices had started, before the first fault. */
    readonly steadyPerSecond: number
    readonly busiestPerSecond: number
  }
  /** One for each fault, in the order of time. */
  readonly faults: readonly FaultReport[]
  readonly searches: SearchCounts
}

/** Seconds that the cloud may hold the longest request of each device. */
export const loopSecondsOf = ({ settings = {} }: FleetOptions): number =>
  settings.waitSeconds || (settings.work === 'poll' ? 50 : 270)

/** Seconds over which the devices start: over less, a fleet would come in waves. */
export const startSecondsOf = (options: FleetOptions): number =>
  options.startOverSeconds ?? Math.max(150, loopSecondsOf(options))
