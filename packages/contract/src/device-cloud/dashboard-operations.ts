import * as z from 'zod/mini'
import type { Operation } from '../operation.ts'
import { auditOperations } from './audit-operations.ts'
import { Device, DeviceRegistration } from './device.ts'
import { fileOperations } from './file-operations.ts'
import { deviceIds, idempotencyKey } from './operation-parts.ts'
import { SearchQuery, SearchScopes, SearchStatus, SearchText } from './dashboard-search.ts'
import { Cursor, limitText } from './list-query.ts'
import { Id, Timestamp } from './text.ts'

/** What users call. */
export const dashboardOperations = {
  listDevices: {
    method: 'GET',
    path: '/api/devices',
    auth: 'session',
    summary: "Lists the user's devices, newest first.",
    source: 'Dashboard endpoints; C2, C11, C14',
    query: z.object({ limit: limitText(1000), cursor: z.optional(Cursor) }),
    reply: z.object({ devices: z.array(Device), nextCursor: z.optional(Cursor) }),
  },
  registerDevice: {
    method: 'POST',
    path: '/api/devices',
    auth: 'session',
    summary: 'Registers a device and gives its API key, once.',
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
      }),
      apiKey: z.string(),
    }),
    errors: [409],
  },
  createSearches: {
    method: 'POST',
    path: '/api/devices/search/query',
    auth: 'session',
    summary: 'Creates one search for each device.',
    source: 'Dashboard endpoints; C10, C20',
    body: z.object({
      query: SearchText,
      scope: SearchScopes,
      deviceIds,
      /** Seconds until a search that nobody answered fails: 60 to 604,800. @default 86400 */
      ttlSeconds: z.optional(z.int().check(z.gte(60), z.lte(604_800))),
    }),
    headers: [idempotencyKey],
    status: 201,
    reply: z.object({
      success: z.boolean(),
      searchQueries: z.array(z.object({ id: Id, deviceId: Id, status: SearchStatus })),
      message: z.string(),
    }),
    errors: [404, 409],
  },
  listSearches: {
    method: 'GET',
    path: '/api/devices/search/query',
    auth: 'session',
    summary: "Lists the user's searches with their results, newest first.",
    source: 'Dashboard endpoints; C10, C11',
    query: z.object({
      queryId: z.optional(Id),
      deviceId: z.optional(Id),
      status: z.optional(SearchStatus),
      limit: limitText(500),
      cursor: z.optional(Cursor),
    }),
    reply: z.object({ results: z.array(SearchQuery), nextCursor: z.optional(Cursor) }),
  },
  ...fileOperations,
  revealDeviceKey: {
    method: 'GET',
    path: '/api/devices/{id}/key',
    auth: 'session',
    summary: "Gives a device's API key, where the host configured `keySecret`.",
    source: 'Authentication; C14',
    params: z.object({ id: Id }),
    reply: z.object({ apiKey: z.string() }),
    errors: [404],
  },
  rotateDeviceKey: {
    method: 'POST',
    path: '/api/devices/{id}/rotate-key',
    auth: 'session',
    summary:
      'Gives the device a new API key; the old one works until the new one is first used, at most 24 h.',
    source: 'C15',
    params: z.object({ id: Id }),
    reply: z.object({ apiKey: z.string() }),
    errors: [404],
  },
  deleteDevice: {
    method: 'DELETE',
    path: '/api/devices/{id}',
    auth: 'session',
    summary: 'Deletes a device with its searches and files, and revokes its key at once.',
    source: 'C15',
    params: z.object({ id: Id }),
    reply: z.object({ success: z.literal(true) }),
    errors: [404],
  },
  ...auditOperations,
} as const satisfies Record<string, Operation>
