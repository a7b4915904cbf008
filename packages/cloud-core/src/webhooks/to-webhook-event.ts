import type { NewWebhookEvent } from '@homeward/kit/webhooks'
import type { OfflineDevice } from '../ports/presence-store.ts'

/** The event of a device that was claimed as offline. */
export function toOfflineEvent({ deviceId, owner, lastSeenAt }: OfflineDevice, at: string): NewWebhookEvent {
  return toDeviceEvent('device.offline', { owner, deviceId, at }, { lastSeenAt })
}

/** The event of a device that is online again. */
export function toOnlineEvent(device: { owner: string; deviceId: string; at: string }): NewWebhookEvent {
  return toDeviceEvent('device.online', device, {})
}

/** The event of an owner many of whose devices are offline. */
export function toShareEvent({
  userId,
  share,
  at,
}: {
  userId: string
  share: number
  at: string
}): NewWebhookEvent {
  const id = `evt_fleet_offline_share_${Date.parse(at)}`
  return { id, owner: userId, type: 'fleet.offline_share', subject: '', data: { share }, at }
}

function toDeviceEvent(
  type: string,
  { owner, deviceId, at }: { owner: string; deviceId: string; at: string },
  data: Readonly<Record<string, unknown>>,
): NewWebhookEvent {
  // at one moment a device falls silent, or returns, once
  const id = `evt_${type.replace('.', '_')}_${deviceId}_${Date.parse(at)}`
  return { id, owner, type, subject: deviceId, data: { deviceId, ...data }, at }
}
