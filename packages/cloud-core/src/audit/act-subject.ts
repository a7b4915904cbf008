import type { AuditedDevices } from '@homeward/contract/device-cloud'
import type { AuditSubject } from './audit-log.ts'

/** The one device of a call, to name it in the audit; null for several, of which it is not known which was refused. */
export function onlyOne(deviceIds: readonly string[] = []): string | null {
  const [deviceId, ...others] = new Set(deviceIds)
  return deviceId === undefined || others.length > 0 ? null : deviceId
}

/** What the one entry of an act names: the search or upload request of one device, or the group of those of several. */
export function subjectOf(
  groupId: string,
  work: readonly { readonly id: string; readonly deviceId: string }[],
  devices: AuditedDevices,
): AuditSubject {
  const [one] = work
  if (one !== undefined && devices.count === 1) return { deviceId: one.deviceId, subjectId: one.id }
  return { subjectId: groupId, devices }
}
