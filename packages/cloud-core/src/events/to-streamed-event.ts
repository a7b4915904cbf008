import type { DeviceCloudEventName } from '@homeward/contract/device-cloud'
import type { CloudEvents } from '../cloud-events.ts'

/** An event as a stream writes it, and whose it is. */
export interface StreamedEvent {
  readonly owner: string
  readonly name: DeviceCloudEventName
  readonly data: Readonly<Record<string, unknown>>
}

/** Names of the events that streams write. */
const names: { readonly [Name in keyof CloudEvents]?: DeviceCloudEventName } = {
  'device:registered': 'device.registered',
  'device:online': 'device.online',
  'device:offline': 'device.offline',
  'device:deleted': 'device.deleted',
  'fleet:offline-share': 'fleet.offline_share',
  'search:settled': 'search.settled',
  'group:settled': 'group.settled',
  'upload:settled': 'upload.settled',
}

/** The event for streams; undefined for events that streams do not write. */
export function toStreamedEvent(
  name: keyof CloudEvents,
  event: Parameters<CloudEvents[keyof CloudEvents]>[0],
): StreamedEvent | undefined {
  const streamed = names[name]
  if (streamed === undefined) return undefined
  const { userId, ...data } = event
  return { owner: userId, name: streamed, data }
}
