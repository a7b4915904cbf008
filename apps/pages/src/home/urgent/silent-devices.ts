import type { Device } from '@homeward/contract/device-cloud'

const weekMs = 7 * 24 * 3_600_000

/** Devices that were heard from in the last seven days and are offline now, the last heard first. */
export function silentDevices(devices: readonly Device[], nowMs: number): readonly Device[] {
  const seenAt = ({ lastSeenAt }: Device) => Date.parse(lastSeenAt ?? '')
  return devices
    .filter((device) => device.status === 'offline' && seenAt(device) > nowMs - weekMs)
    .toSorted((one, other) => seenAt(other) - seenAt(one))
}
