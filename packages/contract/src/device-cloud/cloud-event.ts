import * as z from 'zod/mini'
import { Id, Timestamp } from './text.ts'

const device = { deviceId: Id }
const ended = z.enum(['completed', 'failed'])

/**
 * How work ended. `expired`: nobody did it in time. `canceled`: a user canceled it, or deleted its group. `removed`: its
 * device was deleted.
 */
export const WorkOutcome = z.enum(['completed', 'failed', 'canceled', 'expired', 'removed'])
export type WorkOutcome = z.infer<typeof WorkOutcome>
/** Absent if an older cloud wrote the event. */
const outcome = z.optional(WorkOutcome)

/**
 * Events of `GET /api/devices/events` by their name, for `readEvents` of `@homeward/contract/events`. Their data holds
 * ids and outcomes: never keys, results or file contents.
 */
export const deviceCloudEvents = {
  /** A device was registered. */
  'device.registered': z.object(device),
  /** The first heartbeat after a device was offline. */
  'device.online': z.object({ ...device, at: Timestamp }),
  /** A device has sent no heartbeat for a while. */
  'device.offline': z.object({ ...device, at: Timestamp, lastSeenAt: Timestamp }),
  /** A device was deleted. */
  'device.deleted': z.object(device),
  /** A search ended. */
  'search.settled': z.object({ searchId: Id, ...device, status: ended, outcome }),
  /** All searches of a group ended. */
  'group.settled': z.object({ groupId: Id, outcome }),
  /** An upload request ended. */
  'upload.settled': z.object({
    requestId: Id,
    ...device,
    status: z.enum(['completed', 'failed', 'canceled']),
    outcome,
  }),
  /** More devices than the threshold are offline; `share` is a part of 1. */
  'fleet.offline_share': z.object({ share: z.number() }),
  /** Events may have been missed: read the lists again. */
  reset: z.object({}),
} as const

/** Name of an event of `GET /api/devices/events`. */
export type DeviceCloudEventName = keyof typeof deviceCloudEvents
