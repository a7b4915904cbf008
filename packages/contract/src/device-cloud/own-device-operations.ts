import * as z from 'zod/mini'
import type { Operation } from '../operation.ts'
import { DeviceFilter } from './device-filter.ts'
import { DeviceLabel, DeviceLabels } from './device-label.ts'
import { Device, DeviceChanges, DeviceRegistration, PresenceGap } from './device.ts'
import { Cursor, booleanParameter, limitParameter, TimestampParameter } from './list-query.ts'
import { hasOneTarget, targets } from './operation-parts.ts'
import { entityTag, idempotencyKey, ifMatch } from './request-headers.ts'
import { Id, Timestamp } from './text.ts'

/** The rows by which users find, change and remove their devices. */
export const ownDeviceOperations = {
  listDevices: {
    method: 'GET',
    path: '/api/devices',
    auth: 'session',
    needs: 'read',
    summary: "Lists the user's devices, or those that a filter matches, newest first.",
    source: 'Dashboard endpoints; C2, C11, C14, C29',
    // strict: a filter that is not understood must not look like one that matches everything
    query: z.strictObject({
      /** A label that the devices must have. Can be given up to 32 times: then a device must have all of the labels. */
      label: z.optional(DeviceLabels),
      /** Exact kind of device. */
      type: DeviceFilter.shape.type,
      /** Exact operating system. */
      platform: DeviceFilter.shape.platform,
      /** `online` while the last heartbeat is fresh. */
      status: DeviceFilter.shape.status,
      /** Literal part of the name, the id or a metadata value. Letter case does not matter. */
      text: DeviceFilter.shape.text,
      /** Whether to count all devices that match, not only those of this page. @default false */
      count: booleanParameter,
      limit: limitParameter(1000),
      cursor: z.optional(Cursor),
    }),
    repeatable: ['label'],
    reply: z.object({
      devices: z.array(Device),
      nextCursor: z.optional(Cursor),
      /** Number of all devices that match. Only with `count=true`. */
      total: z.optional(z.int()),
    }),
  },
  getDevice: {
    method: 'GET',
    path: '/api/devices/{id}',
    auth: 'session',
    needs: 'read',
    summary: 'Returns a device.',
    source: 'C2, C29',
    params: z.object({ id: Id }),
    replyHeaders: [entityTag],
    reply: z.object({ device: Device }),
    errors: [404],
  },
  getDevicePresence: {
    method: 'GET',
    path: '/api/devices/{id}/presence',
    auth: 'session',
    needs: 'read',
    summary: 'Returns the times at which a device was silent.',
    source: 'C2, C3',
    params: z.object({ id: Id }),
    query: z.strictObject({
      /** Gaps that end after this moment. @default seven days before `to` */
      from: z.optional(TimestampParameter),
      /** Gaps that begin before this moment. @default now */
      to: z.optional(TimestampParameter),
    }),
    reply: z.object({
      from: Timestamp,
      to: Timestamp,
      /** First heartbeat; null before it. */
      firstSeenAt: z.nullable(Timestamp),
      /** Gaps are known from here on: only the newest 100 of the last 90 days are stored. Null before the first heartbeat. */
      knownSince: z.nullable(Timestamp),
      /** Times without a heartbeat for longer than the online window, also because the cloud was down. Oldest first. */
      gaps: z.array(PresenceGap),
    }),
    errors: [404],
  },
  updateDevice: {
    method: 'PATCH',
    path: '/api/devices/{id}',
    auth: 'session',
    needs: 'manage',
    audit: { action: 'device:updated', device: 'params.id' },
    summary: 'Changes the name, the type or the labels of a device.',
    source: 'C29',
    params: z.object({ id: Id }),
    body: DeviceChanges,
    headers: [ifMatch],
    replyHeaders: [entityTag],
    reply: z.object({ device: Device }),
    errors: [404, 412],
  },
  registerDevice: {
    method: 'POST',
    path: '/api/devices',
    auth: 'session',
    needs: 'manage',
    audit: { action: 'device:registered' },
    summary: 'Registers a device, and returns its API key once.',
    source: 'Dashboard endpoints; C1, C14',
    body: DeviceRegistration,
    headers: [idempotencyKey],
    status: 201,
    reply: z.object({
      device: z.object({
        id: Id,
        name: z.string(),
        type: z.string(),
        platform: z.string(),
        status: z.literal('offline'),
        createdAt: Timestamp,
        /** Present if the registration had labels. */
        labels: z.optional(z.array(DeviceLabel)),
      }),
      apiKey: z.string(),
    }),
    errors: [409],
  },
  revealDeviceKey: {
    method: 'GET',
    path: '/api/devices/{id}/key',
    auth: 'session',
    needs: 'manage',
    audit: { action: 'key:revealed', device: 'params.id' },
    summary: "Returns a device's API key, if your app configured `keySecret`.",
    source: 'Authentication; C14',
    params: z.object({ id: Id }),
    reply: z.object({ apiKey: z.string() }),
    errors: [404],
  },
  rotateDeviceKey: {
    method: 'POST',
    path: '/api/devices/{id}/rotate-key',
    auth: 'session',
    needs: 'manage',
    audit: { action: 'key:rotated', device: 'params.id' },
    summary:
      'Creates a new API key for the device. The old key works until the new one is first used, for at most 24 hours.',
    source: 'C15',
    params: z.object({ id: Id }),
    reply: z.object({ apiKey: z.string() }),
    errors: [404],
  },
  deleteDevice: {
    method: 'DELETE',
    path: '/api/devices/{id}',
    auth: 'session',
    needs: 'manage',
    audit: { action: 'device:deleted', device: 'params.id' },
    summary: 'Deletes a device with its searches and files, and revokes its key at once.',
    source: 'C15',
    params: z.object({ id: Id }),
    headers: [ifMatch],
    reply: z.object({ success: z.literal(true) }),
    errors: [404, 412],
  },
  deleteDeviceCatalog: {
    method: 'DELETE',
    path: '/api/devices/{id}/catalog',
    auth: 'session',
    needs: 'manage',
    audit: { action: 'catalog:removed', device: 'params.id' },
    summary:
      'Deletes the list of files that a device left with the cloud. A device with `DEVICE_CATALOG=on` sends a new list once its files change.',
    source: 'Answers of devices that are off',
    params: z.object({ id: Id }),
    reply: z.object({ success: z.literal(true) }),
    errors: [404],
  },
  updateDevices: {
    method: 'PATCH',
    path: '/api/devices',
    auth: 'session',
    needs: 'manage',
    audit: { action: 'device:updated', device: 'body.deviceIds' },
    summary: 'Adds and removes labels of devices. If one of `deviceIds` is unknown, nothing changes.',
    source: 'C29; Devices that each user reaches',
    body: z
      .object({
        ...targets,
        labels: z.strictObject({ add: z._default(DeviceLabels, []), remove: z._default(DeviceLabels, []) }),
      })
      .check(hasOneTarget),
    reply: z.object({
      /** Devices whose labels changed. */
      changed: z.int(),
    }),
    errors: [404],
  },
  deleteDevices: {
    method: 'DELETE',
    path: '/api/devices',
    auth: 'session',
    needs: 'manage',
    audit: { action: 'device:deleted', device: 'body.deviceIds' },
    summary: 'Deletes devices as `deleteDevice` does. Passes over ids that are unknown.',
    source: 'C15; Devices that each user reaches',
    body: z.object({ deviceIds: z.array(Id).check(z.minLength(1), z.maxLength(1000)) }),
    reply: z.object({
      /** Devices that were deleted. */
      deleted: z.int(),
    }),
  },
} as const satisfies Record<string, Operation>
