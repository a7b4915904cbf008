import * as z from 'zod/mini'
import { DeviceStatus, devicePlatform, deviceType } from './device.ts'
import { DeviceLabels } from './device-label.ts'
import { Id, printable } from './text.ts'

/**
 * Part of a name, of an id or of a metadata value: 1 to 200 characters, taken literally. Letters of either case match
 * each other by the rules of Unicode, accents count.
 */
export const DeviceText = z.string().check(z.minLength(1), z.maxLength(200), printable)

/** Which devices are meant: those for which every given condition holds. Unknown fields are rejected. */
export const DeviceFilter = z.strictObject({
  /** Labels that a device must have, all of them. */
  labels: z.optional(DeviceLabels),
  /** Exact kind of device. */
  type: z.optional(deviceType),
  /** Exact operating system. */
  platform: z.optional(devicePlatform),
  /** `online` while the last heartbeat is fresh. */
  status: z.optional(DeviceStatus),
  /** Part of the name, of the id or of a metadata value. */
  text: z.optional(DeviceText),
})
export type DeviceFilter = z.infer<typeof DeviceFilter>

const ids = z.array(Id).check(z.maxLength(1000))

/**
 * Devices that an API token reaches: those for which every given condition holds, at the time of each request. At least one
 * condition is needed.
 */
export const DeviceAccess = z
  .strictObject({
    /** Labels that a device must have, all of them. */
    labels: z.optional(DeviceLabels),
    /** Exact kind of device. */
    type: z.optional(deviceType),
    /** Exact operating system. */
    platform: z.optional(devicePlatform),
    /** The device must be one of these. At most 1,000. */
    ids: z.optional(ids),
  })
  .check(
    z.refine(
      ({ labels = [], type, platform, ids: some }) => labels.length > 0 || Boolean(type ?? platform ?? some),
      'must have a condition',
    ),
  )
export type DeviceAccess = z.infer<typeof DeviceAccess>

/**
 * A filter as replies show it: readers pass over fields that they do not know. Groups and saved searches
 * of an API token with a filter have the conditions of both.
 */
export const DeviceFilterView = z.object({
  ...DeviceFilter.shape,
  /** One of these devices. */
  ids: z.optional(ids),
})
export type DeviceFilterView = z.infer<typeof DeviceFilterView>
