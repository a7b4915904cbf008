import type { Device } from '@homeward/contract/device-cloud'
import type { StoredDevice } from '../ports/device-store.ts'

/** How long after its last heartbeat a device counts as online: two 60 s beats and a half (C2). */
export const defaultOnlineWindowMs = 150_000

/** `online` while the last heartbeat is at most `windowMs` old. A heartbeat from the future counts as now. */
export function statusAt(lastSeenAt: string | null, nowMs: number, windowMs: number): Device['status'] {
  return lastSeenAt !== null && nowMs - Date.parse(lastSeenAt) <= windowMs ? 'online' : 'offline'
}

/** A device as dashboards see it: never its owner, never more of its key than the hint. */
export function toDevice(device: StoredDevice, nowMs: number, windowMs: number): Device {
  const { id, name, type, platform, lastSeenAt, metadata, createdAt } = device
  const status = statusAt(lastSeenAt, nowMs, windowMs)
  return { id, name, type, platform, status, lastSeenAt, metadata, createdAt, keyHint: device.key.hint }
}
