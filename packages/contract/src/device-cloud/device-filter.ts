import * as z from 'zod/mini'
import { DeviceStatus, devicePlatform, deviceType } from './device.ts'
import { DeviceLabels } from './device-label.ts'
import { printable } from './text.ts'

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

/** A filter as replies show it: readers pass over fields that they do not know. */
export const DeviceFilterView = z.object(DeviceFilter.shape)
