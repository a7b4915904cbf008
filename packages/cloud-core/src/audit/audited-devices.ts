import type { AuditedDevices, AuditEntry } from '@homeward/contract/device-cloud'

/** Whether an entry holds the id of every device of its act. */
export function namesAll({ count, ids }: AuditedDevices): boolean {
  return ids.length === count
}

/**
 * Whether an entry belongs to the list of a device: it names the device, or its act was on more devices than it names.
 * Nothing that was done with a device is missing in its list; entries of large acts can be there for another one.
 */
export function concernsDevice(
  { deviceId: own, devices }: Pick<AuditEntry, 'deviceId' | 'devices'>,
  deviceId: string,
): boolean {
  if (devices === undefined) return own === deviceId
  return !namesAll(devices) || devices.ids.includes(deviceId)
}
