import type { DeviceMetadata } from '@homeward/contract/device-cloud'
import type { DeviceReconnect, DeviceStore, StoredDevice, HeartbeatWrite } from '../ports/device-store.ts'
import { platformTimers, type Timers } from '@homeward/kit'
import { latestHeartbeat } from './latest-heartbeat.ts'
import { mergeMetadata } from './merge-metadata.ts'

const flushIntervalMs = 5_000
const flushDevices = 1_000

/** Heartbeats on their way to the storage (C3). */
export interface HeartbeatBuffer {
  /**
   * Takes a heartbeat, with metadata when there is something new in it, and with `returned` when it may end a silence;
   * resolves at once, or with `flush: 'sync'` once it is stored.
   */
  add(
    device: StoredDevice,
    lastSeenAt: string,
    metadata: DeviceMetadata | undefined,
    returned?: DeviceReconnect,
  ): Promise<void> | undefined
  /** The device with what is still on its way. */
  readThrough(device: StoredDevice): StoredDevice
  /** The end of a silence that is on its way. */
  returnOf(deviceId: string): DeviceReconnect | undefined
  /** Writes everything. Rejects when the storage does; the heartbeats are then kept for the next try. */
  flush(): Promise<void>
  /** How many devices have a heartbeat that is not stored yet. */
  count(): number
  forget(deviceId: string): void
  /** Ends the timer and flushes. */
  close(): Promise<void>
}

/**
 * Coalesces heartbeats: one batch every 5 s, or as soon as 1,000 devices wait. A crash loses at most 5 s of
 * `lastSeenAt`. While the storage is down the buffer holds one entry a device, so it grows with the fleet, not with
 * time.
 *
 * @param latestBeat The last moment that a stored heartbeat is believed to have come at, as of now.
 */
export function createHeartbeatBuffer(
  store: Pick<DeviceStore, 'writeHeartbeats'>,
  flush: 'interval' | 'sync',
  latestBeat: () => string,
  onError: (error: unknown) => void,
  timers: Timers = platformTimers,
): HeartbeatBuffer {
  let waiting = new Map<string, HeartbeatWrite>()
  let underWay: ReadonlyMap<string, HeartbeatWrite> = new Map()
  let timer: unknown
  let running: Promise<void> = Promise.resolve()

  function schedule(): void {
    timer ??= timers.setTimeout(() => void flushNow().catch(onError), flushIntervalMs)
  }

  function flushNow(): Promise<void> {
    timers.clearTimeout(timer)
    timer = undefined
    running = running.catch(() => {}).then(write)
    return running
  }

  async function write(): Promise<void> {
    if (waiting.size === 0) return
    const batch = waiting
    underWay = batch
    waiting = new Map()
    try {
      await store.writeHeartbeats([...batch.values()], latestBeat())
    } catch (error) {
      for (const [id, touch] of batch) waiting.set(id, merge(touch, waiting.get(id)))
      schedule()
      throw error
    } finally {
      underWay = new Map()
    }
  }

  return {
    add(device, lastSeenAt, metadata, returned): Promise<void> | undefined {
      const touch = {
        deviceId: device.id,
        lastSeenAt,
        ...(metadata && { metadata }),
        ...(returned && { returned }),
      }
      waiting.set(device.id, merge(waiting.get(device.id), touch))
      if (flush === 'sync') return flushNow()
      if (waiting.size === flushDevices) void flushNow().catch(onError)
      else schedule()
      return undefined
    },
    readThrough(device) {
      const touch = mergeIfAny(underWay.get(device.id), waiting.get(device.id))
      if (!touch) return device
      const { lastSeenAt, metadata } = touch
      return {
        ...device,
        lastSeenAt: latestHeartbeat(device.lastSeenAt, lastSeenAt, latestBeat()),
        metadata: metadata ? mergeMetadata(device.metadata, metadata) : device.metadata,
      }
    },
    returnOf: (deviceId) => mergeIfAny(underWay.get(deviceId), waiting.get(deviceId))?.returned,
    flush: flushNow,
    count: () => waiting.size + underWay.size,
    forget: (deviceId) => void waiting.delete(deviceId),
    async close() {
      try {
        await flushNow()
      } finally {
        timers.clearTimeout(timer) // a flush that failed has asked for another one
      }
    },
  }
}

function mergeIfAny(
  first: HeartbeatWrite | undefined,
  second: HeartbeatWrite | undefined,
): HeartbeatWrite | undefined {
  return second ? merge(first, second) : first
}

function merge(first: HeartbeatWrite | undefined, second: HeartbeatWrite | undefined): HeartbeatWrite {
  if (!first || !second) return (first ?? second)!
  const returned = first.returned ?? second.returned
  if (!first.metadata && !second.metadata && !returned) return second
  return {
    ...second,
    ...((first.metadata || second.metadata) && {
      metadata: mergeMetadata(first.metadata ?? {}, second.metadata ?? {}),
    }),
    ...(returned && { returned }),
  }
}
