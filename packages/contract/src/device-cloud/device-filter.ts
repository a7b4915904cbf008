import * as z from 'zod/mini'
import { DeviceStatus, devicePlatform, deviceType } from './device.ts'
import { DeviceLabels } from './device-label.ts'
import { Id, printable } from './text.ts'

/**
 * Part of a name, id or metadata value: 1 to 200 characters, matched literally. Ignores case (Unicode rules); accents
 * must match.
 */
export const DeviceText = z.string().check(z.minLength(1), z.maxLength(200), printable)

/** Selects devices that meet all given conditions. Unknown fields are rejected. */
export const DeviceFilter = z.strictObject({
  /** Labels that a device must have. All are required. */
  labels: z.optional(DeviceLabels),
  /** Exact device type. */
  type: z.optional(deviceType),
  /** Exact operating system. */
  platform: z.optional(devicePlatform),
  /** `online` if the last heartbeat is recent enough. */
  status: z.optional(DeviceStatus),
  /** Part of the name, id or a metadata value. */
  text: z.optional(DeviceText),
})
export type DeviceFilter = z.infer<typeof DeviceFilter>

const ids = z.array(Id).check(z.maxLength(1000))

/**
 * Devices that an API token can access: those that meet all conditions at the time of each request. At least one
 * condition is required.
 */
export const DeviceAccess = z
  .strictObject({
    /** Labels that a device must have. All are required. */
    labels: z.optional(DeviceLabels),
    /** Exact device type. */
    type: z.optional(deviceType),
    /** Exact operating system. */
    platform: z.optional(devicePlatform),
    /** Allowed device ids, at most 1,000. */
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
 * A filter as responses show it. Clients must ignore unknown fields.
 *
 * Groups and saved searches of an API token with a filter combine both filters.
 */
export const DeviceFilterView = z.object({
  ...DeviceFilter.shape,
  /** Allowed device ids. */
  ids: z.optional(ids),
})
export type DeviceFilterView = z.infer<typeof DeviceFilterView>
