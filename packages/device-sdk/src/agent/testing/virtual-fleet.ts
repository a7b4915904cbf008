import type { DeviceClient } from '../../client/create-device-client.ts'
import { DeviceCloudError } from '../../device-cloud-error.ts'
import type { AgentSettings } from '../agent-options.ts'
import { createDeviceAgent, type DeviceAgent } from '../create-device-agent.ts'
import type { VirtualClock } from './virtual-clock.ts'

/** What a fleet is made of. */
export interface FleetOptions {
  readonly size: number
  readonly clock: VirtualClock
  /** Whether the cloud holds polls (C22). */
  readonly holds: boolean
  /** Milliseconds over which the devices start; 0 for all at once. */
  readonly startOverMs: number
  readonly settings?: Partial<AgentSettings>
}

/** Why nothing gets through: connections are refused or break, or every request is answered with a 503. */
export interface Outage {
  readonly retryAfterMs?: number
  /** The cloud answers held polls before it goes, instead of dropping them. */
  readonly letsGo?: boolean
}

/** Real agents over one cloud that exists in this process only. */
export interface VirtualFleet {
  /** Requests of the busiest second from `fromMs` to `toMs`, answered or not; of longer spans, their mean second. */
  busiest(fromMs: number, toMs: number, spanSeconds?: number): number
  /** How many devices were answered on every one of their three calls since `sinceMs`. */
  backSince(sinceMs: number): number
  breakDown(outage?: Outage): void
  repair(): void
  stop(): Promise<void>
}

const calls = ['beat', 'searches', 'uploads'] as const
type Call = (typeof calls)[number]

/** Starts a fleet; the same numbers of `Math.random` give the same run. */
export function startFleet({ size, clock, holds, startOverMs, settings = {} }: FleetOptions): VirtualFleet {
  const random = createRandom(42)
  const hits: number[] = []
  const held = new Set<(outage: Outage) => void>()
  const answered = Array.from({ length: size }, () => ({ beat: -1, searches: -1, uploads: -1 }))
  let outage: Outage | undefined

  function fail({ retryAfterMs }: Outage): DeviceCloudError {
    return retryAfterMs === undefined
      ? new DeviceCloudError('UNREACHABLE', 'down')
      : new DeviceCloudError('SERVER_FAILED', 'down', { status: 503, retryAfterMs })
  }

  function arrive(device: number, call: Call): void {
    const second = Math.floor(clock.now() / 1000)
    hits[second] = (hits[second] ?? 0) + 1
    if (outage) throw fail(outage)
    answered[device]![call] = clock.now()
  }

  async function list(device: number, call: Call, seconds: number, signal?: AbortSignal) {
    arrive(device, call)
    const empty = { requests: [], waitApplied: holds && seconds > 0, appliedSeconds: seconds }
    if (!empty.waitApplied) return empty
    return await new Promise<typeof empty>((resolve, reject) => {
      const end = (why?: Outage | 'time' | 'stop') => {
        clock.clearTimeout(timer)
        held.delete(end)
        if (typeof why === 'object' && !why.letsGo) reject(fail(why))
        else resolve(empty)
      }
      const timer = clock.setTimeout(() => end('time'), seconds * 1000)
      held.add(end)
      signal?.addEventListener('abort', () => end('stop'))
    })
  }

  const clientOf = (device: number): DeviceClient => ({
    async sendHeartbeat() {
      arrive(device, 'beat')
      return { success: true, status: 'online' }
    },
    listPendingSearches: (options, signal) => list(device, 'searches', options?.waitSeconds ?? 0, signal),
    listPendingUploads: (options, signal) => list(device, 'uploads', options?.waitSeconds ?? 0, signal),
    reportSearch: () => Promise.reject(new Error('no searches here')),
    uploadFile: () => Promise.reject(new Error('no uploads here')),
    hasNewKey: () => Promise.resolve(false),
  })

  const agents = Array.from({ length: size }, (_, device): DeviceAgent => {
    const agent = createDeviceAgent({
      client: clientOf(device),
      providers: {},
      random,
      now: clock.now,
      ...settings,
    })
    clock.setTimeout(() => agent.start(), random() * startOverMs)
    return agent
  })

  return {
    busiest(fromMs, toMs, spanSeconds = 1) {
      const seconds = Array.from({ length: (toMs - fromMs) / 1000 }, (_, at) => hits[fromMs / 1000 + at] ?? 0)
      const spans = seconds.map((_, at) =>
        seconds.slice(at, at + spanSeconds).reduce((sum, count) => sum + count, 0),
      )
      return Math.max(...spans) / spanSeconds
    },
    backSince: (sinceMs) =>
      answered.filter((device) => calls.every((call) => device[call] >= sinceMs)).length,
    breakDown(why = {}) {
      outage = why
      for (const end of Array.from(held)) end(why)
    },
    repair() {
      outage = undefined
    },
    async stop() {
      await Promise.all(agents.map((agent) => agent.stop()))
    },
  }
}

/** Numbers from 0 to 1, the same ones for the same seed (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
