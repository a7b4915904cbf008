import * as z from 'zod/mini'
import { DeviceLabel, DeviceLabels } from './device-label.ts'
import { DeviceCatalog } from './catalog.ts'
import { DeviceMetadata } from './device-metadata.ts'
import { Id, boundedString, deviceName, Timestamp } from './text.ts'

/** `online` if the last heartbeat is recent enough, else `offline`. */
export const DeviceStatus = z.enum(['online', 'offline'])
export type DeviceStatus = z.infer<typeof DeviceStatus>

// C1: the lists are open, so a new kind of device needs no release
/** Type of a device: any text of 1 to 64 characters. The listed values are suggestions. */
export type DeviceType =
  | 'desktop'
  | 'laptop'
  | 'server'
  | 'mobile'
  | 'tablet'
  | 'iot'
  | 'other'
  | (string & {})

/** Operating system of a device: any text of 1 to 64 characters. The listed values are suggestions. */
export type DevicePlatform = 'macos' | 'windows' | 'linux' | 'ios' | 'android' | 'other' | (string & {})

/** Kind of device, as a schema. */
export const deviceType: z.ZodMiniType<DeviceType, DeviceType> = boundedString(64)
/** Operating system, as a schema. */
export const devicePlatform: z.ZodMiniType<DevicePlatform, DevicePlatform> = boundedString(64)

/** A registered device, as users see it. */
export const Device = z.object({
  id: Id,
  name: z.string(),
  type: deviceType,
  platform: devicePlatform,
  /** `online` if the last heartbeat is recent enough. */
  status: DeviceStatus,
  /** Time of the last heartbeat; null before the first one. */
  lastSeenAt: z.nullable(Timestamp),
  metadata: DeviceMetadata,
  createdAt: Timestamp,
  /** Last characters of the API key, to recognize the key by. */
  keyHint: z.optional(z.string()),
  /** Labels by which users find the device. Absent if the cloud has no labels. */
  labels: z._default(z.array(DeviceLabel), []),
  /** The list of files that the device has uploaded, if any. */
  catalog: z.optional(DeviceCatalog),
})
export type Device = z.infer<typeof Device>

/** A period without heartbeats. */
export const PresenceGap = z.object({
  /** Time of the last heartbeat before the gap. */
  from: Timestamp,
  /** Time of the heartbeat that ended the gap; null while the gap lasts. */
  to: z.nullable(Timestamp),
})
export type PresenceGap = z.infer<typeof PresenceGap>

/** Fields of a device registration. */
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
