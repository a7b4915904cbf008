import * as z from 'zod/mini'
import { Id, Timestamp } from './text.ts'

const device = { deviceId: Id }
const ended = z.enum(['completed', 'failed'])

/**
 * Outcome of a search or upload. `expired`: nobody completed it in time. `canceled`: a user canceled it or deleted
 * its group. `removed`: its device was deleted.
 */
export const WorkOutcome = z.enum(['completed', 'failed', 'canceled', 'expired', 'removed'])
export type WorkOutcome = z.infer<typeof WorkOutcome>
/** Absent if an older cloud wrote the event. */
const outcome = z.optional(WorkOutcome)

/**
 * Events of `GET /api/devices/events` by name, for `readEvents` of `@homeward/contract/events`.
 *
 * Event data contains ids and outcomes, never keys, results or file contents.
 */
export const deviceCloudEvents = {
  /** A device was registered. */
  'device.registered': z.object(device),
  /** First heartbeat after a device was offline. */
  'device.online': z.object({ ...device, at: Timestamp }),
  /** A device is offline: it has sent no heartbeat for the configured time. */
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
  /** The share of offline devices is above the threshold; `share` is from 0 to 1. */
  'fleet.offline_share': z.object({ share: z.number() }),
  /** Events may have been missed. Read the lists again. */
  reset: z.object({}),
} as const

/** Name of an event of `GET /api/devices/events`. */
export type DeviceCloudEventName = keyof typeof deviceCloudEvents
