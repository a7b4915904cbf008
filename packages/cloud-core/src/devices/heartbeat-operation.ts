import type { DeviceCloudOperations, DeviceMetadata } from '@homeward/contract/device-cloud'
import type { ReplyOf } from '@homeward/contract'
import { toTimestamp, type CloudContext } from '../cloud-context.ts'
import type { StoredDevice } from '../ports/device-store.ts'
import { checkMetadata } from './device-operations.ts'
import { statusAt } from './presence.ts'

const maxRemembered = 500_000

/** Takes heartbeats (C2, C3, C19, C21). */
export function createHeartbeatOperation(context: CloudContext) {
  const { store, heartbeats, now, emit, onlineWindowMs, heartbeatIntervalSeconds } = context
  const lastBeats = new Map<string, string>()

  function noticeOnline(device: StoredDevice, nowMs: number, at: string): void {
    const last = lastBeats.get(device.id) ?? device.lastSeenAt
    if (lastBeats.size >= maxRemembered) lastBeats.delete(lastBeats.keys().next().value!)
    lastBeats.set(device.id, at)
    if (statusAt(last, nowMs, onlineWindowMs) === 'offline') {
      emit('device:online', { deviceId: device.id, userId: device.owner, at })
    }
  }

  return async (
    device: StoredDevice,
    metadata: DeviceMetadata,
  ): Promise<ReplyOf<DeviceCloudOperations['sendHeartbeat']>> => {
    checkMetadata(metadata)
    const nowMs = now()
    const at = toTimestamp(nowMs)
    const stored = heartbeats.add(device, at, metadata)
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
