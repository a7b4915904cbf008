import * as z from 'zod/mini'
import { DeviceLabel, DeviceLabels } from './device-label.ts'
import { DeviceCatalog } from './catalog.ts'
import { DeviceMetadata } from './device-metadata.ts'
import { Id, boundedString, deviceName, Timestamp } from './text.ts'

/** `online` while the last heartbeat is fresh, else `offline`. */
export const DeviceStatus = z.enum(['online', 'offline'])
export type DeviceStatus = z.infer<typeof DeviceStatus>

// C1: the lists are open, so a new kind of device needs no release
/** Kind of device. Any text of 1 to 64 characters; the named ones are suggestions. */
export type DeviceType =
  | 'desktop'
  | 'laptop'
  | 'server'
  | 'mobile'
  | 'tablet'
  | 'iot'
  | 'other'
  | (string & {})

/** Operating system of a device. Any text of 1 to 64 characters; the named ones are suggestions. */
export type DevicePlatform = 'macos' | 'windows' | 'linux' | 'ios' | 'android' | 'other' | (string & {})

/** Kind of device, as a schema. */
export const deviceType: z.ZodMiniType<DeviceType, DeviceType> = boundedString(64)
/** Operating system, as a schema. */
export const devicePlatform: z.ZodMiniType<DevicePlatform, DevicePlatform> = boundedString(64)

/** A registered device, as dashboards see it. */
export const Device = z.object({
  id: Id,
  name: z.string(),
  type: deviceType,
  platform: devicePlatform,
  /** `online` while the last heartbeat is fresh. */
  status: DeviceStatus,
  /** Last heartbeat; null before the first one. */
  lastSeenAt: z.nullable(Timestamp),
  metadata: DeviceMetadata,
  createdAt: Timestamp,
  /** Part of the API key to recognize it by, which is not enough to use it. */
  keyHint: z.optional(z.string()),
  /** Labels by which users find the device. Absent if the cloud has no labels. */
  labels: z._default(z.array(DeviceLabel), []),
  /** The list of files that the device left with the cloud, if it left one. */
  catalog: z.optional(DeviceCatalog),
})
export type Device = z.infer<typeof Device>

/** A time without heartbeats. */
export const PresenceGap = z.object({
  /** The last heartbeat before. */
  from: Timestamp,
  /** The heartbeat that ended it; null while it lasts. */
  to: z.nullable(Timestamp),
})
export type PresenceGap = z.infer<typeof PresenceGap>

/** What a registration takes. */
export const DeviceRegistration = z.object({
  name: deviceName,
  type: deviceType,
  platform: devicePlatform,
  metadata: z._default(DeviceMetadata, {}),
  labels: z._default(DeviceLabels, []),
})
export type DeviceRegistration = z.infer<typeof DeviceRegistration>

/** Changes to a device. Absent fields stay unchanged, and unknown fields are rejected. */
export const DeviceChanges = z.strictObject({
  name: z.optional(deviceName),
  type: z.optional(deviceType),
  /** All labels of the device. They replace the old labels. */
  labels: z.optional(DeviceLabels),
})
export type DeviceChanges = z.infer<typeof DeviceChanges>
