import type { DeviceMetadata } from '@homeward/contract/device-cloud'
import type { DeviceReconnect, DeviceStore, StoredDevice, HeartbeatWrite } from '../ports/device-store.ts'
import { platformTimers, type Timers } from '@homeward/kit'
import { latestHeartbeat } from './latest-heartbeat.ts'
import { mergeMetadata } from './merge-metadata.ts'

const flushIntervalMs = 5_000
const flushDevices = 1_000
/** Devices whose stored time one process remembers. */
const maxStored = 500_000

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
  /**
   * Writes the heartbeats that are due. Rejects when the storage does; they are then stored with the next try. A heartbeat
   * that is not due came after a stored one that still makes its device `online`.
   */
  flush(): Promise<void>
  /** How many devices have a heartbeat that is not stored yet. */
  count(): number
  forget(deviceId: string): void
  /** Ends the timer and flushes. */
  close(): Promise<void>
}

interface HeartbeatBufferSetup {
  readonly store: Pick<DeviceStore, 'writeHeartbeats'>
  readonly flush: 'interval' | 'sync'
  readonly now: () => number
  /** How old a stored heartbeat is, in milliseconds, before another one is written that says nothing else. */
  readonly restMs: number
  /** The last moment that a stored heartbeat is believed to have come at, as of now. */
  readonly latestBeat: () => string
  readonly onError: (error: unknown) => void
  readonly timers?: Timers | undefined
}

/**
 * Coalesces heartbeats: one batch every 5 s, or as soon as 1,000 devices wait. A device whose stored time is recent rests
 * until it is older than `restMs`, and its newest heartbeat is written then. A crash loses at most so much of `lastSeenAt`,
 * and 5 s. While the storage is down the buffer holds one entry a device, so it grows with the fleet, not with time.
 */
export function createHeartbeatBuffer(setup: HeartbeatBufferSetup): HeartbeatBuffer {
  const { store, flush, now, restMs, latestBeat, onError, timers = platformTimers } = setup
  let waiting = new Map<string, HeartbeatWrite>()
  const resting = createRestingHeartbeats(restMs)
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

  function awake(nowMs: number): void {
    for (const touch of resting.take(nowMs))
      waiting.set(touch.deviceId, merge(waiting.get(touch.deviceId), touch))
  }

  async function write(): Promise<void> {
    awake(now())
    if (resting.count() > 0) schedule()
    if (waiting.size === 0) return
    const batch = waiting
    underWay = batch
    waiting = new Map()
    try {
      await store.writeHeartbeats([...batch.values()], latestBeat())
      resting.noteStored(batch)
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
      const isNews = metadata !== undefined || returned !== undefined || waiting.has(device.id)
      if (flush === 'interval' && !isNews && resting.add(device, touch)) {
        schedule()
        return undefined
      }
      resting.drop(device.id)
      waiting.set(device.id, merge(waiting.get(device.id), touch))
      if (flush === 'sync') return flushNow()
      if (waiting.size === flushDevices) void flushNow().catch(onError)
      else schedule()
      return undefined
    },
    readThrough(device) {
      const written = mergeIfAny(underWay.get(device.id), waiting.get(device.id))
      const touch = mergeIfAny(written, resting.of(device.id))
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
    count: () => waiting.size + underWay.size + resting.count(),
    forget: (deviceId) => {
      waiting.delete(deviceId)
      resting.forget(deviceId)
    },
    async close() {
      awake(Infinity)
      try {
        await flushNow()
      } finally {
        timers.clearTimeout(timer) // a flush that failed has asked for another one
      }
    },
  }
}

/** Heartbeats that need not be written yet, because the stored time of their device is recent. */
function createRestingHeartbeats(restMs: number) {
  const resting = new Map<string, { readonly touch: HeartbeatWrite; readonly dueMs: number }>()
  /** When the last heartbeat came that this process stored. */
  const stored = new Map<string, number>()

  function dueAt({ id, lastSeenAt }: StoredDevice, beatMs: number): number {
    const seenMs = lastSeenAt === null ? undefined : Date.parse(lastSeenAt)
    const known = [seenMs, stored.get(id)].filter((ms) => ms !== undefined && ms <= beatMs)
    return Math.max(...known.map(Number)) + restMs
  }

  return {
    /** Takes a heartbeat. @returns false for one that is due. */
    add(device: StoredDevice, touch: HeartbeatWrite): boolean {
      const beatMs = Date.parse(touch.lastSeenAt)
      const dueMs = resting.get(device.id)?.dueMs ?? dueAt(device, beatMs)
      if (dueMs <= beatMs) return false
      resting.set(device.id, { touch, dueMs })
      return true
    },
    /** Gives what is due, once. A clock that was put back makes nobody rest for long. */
    take(nowMs: number): readonly HeartbeatWrite[] {
      const due = [...resting].filter(([, { dueMs }]) => dueMs <= nowMs || dueMs > nowMs + restMs)
      for (const [id] of due) resting.delete(id)
      return due.map(([, { touch }]) => touch)
    },
    noteStored(batch: ReadonlyMap<string, HeartbeatWrite>): void {
      for (const { deviceId, lastSeenAt } of batch.values()) {
        if (stored.size >= maxStored && !stored.has(deviceId)) stored.delete(stored.keys().next().value!)
        stored.set(deviceId, Date.parse(lastSeenAt))
      }
    },
    /** Drops what is older than what is being written. */
    drop: (deviceId: string) => void resting.delete(deviceId),
    of: (deviceId: string) => resting.get(deviceId)?.touch,
    count: () => resting.size,
    forget(deviceId: string): void {
      resting.delete(deviceId)
      stored.delete(deviceId)
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
