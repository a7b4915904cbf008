import type { DeviceCloudOperations, DeviceMetadata } from '@homeward/contract/device-cloud'
import type { ReplyOf } from '@homeward/contract'
import type { CloudContext } from '../cloud-context.ts'
import type { StoredDevice } from '../ports/device-store.ts'
import { checkMetadata } from './device-operations.ts'
import { mergeMetadata } from './merge-metadata.ts'
import { isOnline, statusAt } from './presence.ts'

/** Takes heartbeats (C2, C3, C19, C21). */
export function createHeartbeatOperation(context: CloudContext) {
  const { store, heartbeats, offlineWatch, keys, clock, emit, onlineWindowMs, heartbeatIntervalSeconds } =
    context

  function noticeOnline(device: StoredDevice, nowMs: number, at: string): void {
    const lastMs = offlineWatch.note(device.id, nowMs)
    // Another process may have taken the beats since then; the stored time says so.
    const wasOnline =
      (lastMs !== undefined && isOnline(lastMs, nowMs, onlineWindowMs)) ||
      statusAt(device.lastSeenAt, nowMs, onlineWindowMs) === 'online'
    if (!wasOnline) emit('device:online', { deviceId: device.id, userId: device.owner, at })
  }

  return async (
    device: StoredDevice,
    metadata: DeviceMetadata,
  ): Promise<ReplyOf<DeviceCloudOperations['sendHeartbeat']>> => {
    checkMetadata(metadata)
    const { ms: nowMs, at } = clock()
    const isNew = Object.keys(metadata).some((key) => !Object.is(device.metadata[key], metadata[key]))
    const stored = heartbeats.add(device, at, isNew ? metadata : undefined)
    // Devices say the same at every beat: it is written once, not until the cache forgets the device.
    if (isNew) keys.replace(device, { ...device, metadata: mergeMetadata(device.metadata, metadata) })
    if (stored) await stored
    noticeOnline(device, nowMs, at)
    const pending = await store.countPending(device.id, at)
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
