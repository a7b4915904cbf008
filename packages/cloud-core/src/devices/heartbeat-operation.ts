import type { DeviceCloudOperations, DeviceMetadata } from '@homeward/contract/device-cloud'
import type { ReplyOf } from '@homeward/contract'
import { firstMs, quietTimers, toTimestamp } from '../context/time.ts'
import type { DeviceContext } from './device-context.ts'
import type { StoredDevice } from '../ports/device-store.ts'
import { checkMetadata } from './device-operations.ts'
import { mergeMetadata } from './merge-metadata.ts'
import { isOnline, statusAt } from './presence.ts'

/** Notes that devices are there (C2, C3, C19). */
export interface PresenceNotes {
  /** Takes a heartbeat; resolves once it is on its way to the storage. */
  note(device: StoredDevice, metadata: DeviceMetadata): Promise<void>
  /** Keeps a device online from now until the returned function is called, and for the online window after that. */
  attend(device: StoredDevice): () => void
}

/** Builds what notes heartbeats, those of requests that are held among them. */
export function createPresenceNotes(context: DeviceContext): PresenceNotes {
  const { heartbeats, offlineWatch, keys, clock, emit, onError, onlineWindowMs } = context
  const timers = context.timers ?? quietTimers

  /** @param lastMs The last heartbeat that this process noted. */
  function wasOnline(device: StoredDevice, lastMs: number | undefined, nowMs: number): boolean {
    // Another process may have taken the beats since then; the stored time says so.
    return (
      (lastMs !== undefined && isOnline(lastMs, nowMs, onlineWindowMs)) ||
      statusAt(device.lastSeenAt, nowMs, onlineWindowMs) === 'online'
    )
  }

  function noticeOnline(device: StoredDevice, nowMs: number, at: string): void {
    const lastMs = offlineWatch.note(device.id, nowMs)
    if (!wasOnline(device, lastMs, nowMs))
      emit('device:online', { deviceId: device.id, userId: device.owner, at })
  }

  async function note(device: StoredDevice, metadata: DeviceMetadata): Promise<void> {
    checkMetadata(metadata)
    const { ms: nowMs, at } = clock()
    const isNew = Object.keys(metadata).some((key) => !isSame(device.metadata[key], metadata[key]))
    // Only the store knows the last heartbeat of all processes: it records a gap if there is one.
    const returned = wasOnline(device, offlineWatch.last(device.id), nowMs)
      ? undefined
      : { at, silentBefore: toTimestamp(Math.max(nowMs - onlineWindowMs, firstMs)) }
    const stored = heartbeats.add(device, at, isNew ? metadata : undefined, returned)
    // Devices say the same at every beat: it is written once, not until the cache forgets the device.
    if (isNew) keys.replace(device, { ...device, metadata: mergeMetadata(device.metadata, metadata) })
    if (stored) await stored
    noticeOnline(device, nowMs, at)
  }

  return {
    note,
    attend(device) {
      const beat = () => void note(device, {}).catch(onError)
      let timer: unknown
      const later = () => {
        timer = timers.setTimeout(() => {
          beat()
          later()
        }, onlineWindowMs / 2)
      }
      later()
      return () => {
        timers.clearTimeout(timer)
        beat()
      }
    },
  }
}

/** Answers heartbeats (C2, C21). */
export function createHeartbeatOperation(
  { store, clock, heartbeatIntervalSeconds }: DeviceContext,
  { note }: PresenceNotes,
) {
  return async (
    device: StoredDevice,
    metadata: DeviceMetadata,
  ): Promise<ReplyOf<DeviceCloudOperations['sendHeartbeat']>> => {
    await note(device, metadata)
    const pending = await store.countPending(device.id, clock().at)
    return {
      success: true,
      status: 'online',
      pending,
      ...(heartbeatIntervalSeconds === undefined
        ? undefined
        : { nextHeartbeatInSeconds: heartbeatIntervalSeconds }),
    }
  }
}

/** Whether a value of metadata is the stored one. Lists and objects are parsed again with each heartbeat. */
function isSame(stored: unknown, sent: unknown): boolean {
  if (Object.is(stored, sent)) return true
  return typeof sent === 'object' && JSON.stringify(stored) === JSON.stringify(sent)
}
