import * as z from 'zod/mini'
import { DeviceMetadata } from './device-metadata.ts'
import { Id, text, Timestamp } from './text.ts'

/** `online` while the last heartbeat is fresh, else `offline` (C2). */
export const DeviceStatus = z.enum(['online', 'offline'])
export type DeviceStatus = z.infer<typeof DeviceStatus>

/** Kind of device. Any text of 1 to 64 characters; the named ones are suggestions (C1). */
export type DeviceType =
  | 'desktop'
  | 'laptop'
  | 'server'
  | 'mobile'
  | 'tablet'
  | 'iot'
  | 'other'
  | (string & {})

/** Operating system of a device. Any text of 1 to 64 characters; the named ones are suggestions (C1). */
export type DevicePlatform = 'macos' | 'windows' | 'linux' | 'ios' | 'android' | 'other' | (string & {})

const deviceType: z.ZodMiniType<DeviceType, DeviceType> = text(64)
const devicePlatform: z.ZodMiniType<DevicePlatform, DevicePlatform> = text(64)

/** A registered device, as dashboards see it. */
export const Device = z.object({
  id: Id,
  name: z.string(),
  type: deviceType,
  platform: devicePlatform,
  /** `online` while the last heartbeat is fresh (C2). */
  status: DeviceStatus,
  /** Last heartbeat; null before the first one. */
  lastSeenAt: z.nullable(Timestamp),
  metadata: DeviceMetadata,
  createdAt: Timestamp,
  /** Enough of the API key to recognise it, never enough to use it (C14). */
  keyHint: z.optional(z.string()),
})
export type Device = z.infer<typeof Device>

/** What a registration takes. */
export const DeviceRegistration = z.object({
  name: text(200),
  type: deviceType,
  platform: devicePlatform,
  metadata: z._default(DeviceMetadata, {}),
})
export type DeviceRegistration = z.infer<typeof DeviceRegistration>
