import type { Device } from '@homeward/contract/device-cloud'
import { firstMs, lastMs, toTimestamp } from '../context/time.ts'
import type { OnlineWindow, StoredDevice } from '../ports/device-store.ts'

/** How long after its last heartbeat a device counts as online: two 60 s beats and a half (C2). */
export const defaultOnlineWindowMs = 150_000

/**
 * Whether a heartbeat is at most `windowMs` old. One from the future counts as now, for clocks of several
 * processes differ; one further ahead than the window is of a clock that was put back since, and says nothing of now.
 */
export function isOnline(lastSeenMs: number, nowMs: number, windowMs: number): boolean {
  return Math.abs(nowMs - lastSeenMs) <= windowMs
}

/** `online` while the last heartbeat counts, see {@link isOnline}. */
export function statusAt(lastSeenAt: string | null, nowMs: number, windowMs: number): Device['status'] {
  return lastSeenAt !== null && isOnline(Date.parse(lastSeenAt), nowMs, windowMs) ? 'online' : 'offline'
}

/** The last moment that a heartbeat is believed to have come at. */
export function latestBeatAt(nowMs: number, windowMs: number): string {
  return toTimestamp(Math.min(nowMs + windowMs, lastMs))
}

/** Heartbeats that make a device `online` now, for stores; see {@link isOnline}. */
export function onlineWindowAt(nowMs: number, windowMs: number): OnlineWindow {
  return { from: toTimestamp(Math.max(nowMs - windowMs, firstMs)), until: latestBeatAt(nowMs, windowMs) }
}

/** A device as dashboards see it: never its owner, never more of its key than the hint. */
export function toDevice(device: StoredDevice, nowMs: number, windowMs: number): Device {
  const { id, name, type, platform, lastSeenAt, metadata, createdAt, labels, catalog } = device
  const status = statusAt(lastSeenAt, nowMs, windowMs)
  const keyHint = device.key.hint
  const known = { id, name, type, platform, status, lastSeenAt, metadata, createdAt, keyHint }
  if (catalog === undefined) return { ...known, labels: [...labels] }
  const { asOf, files, bytes } = catalog
  return { ...known, labels: [...labels], catalog: { asOf, files, bytes } }
}
