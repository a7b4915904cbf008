import * as z from 'zod/mini'
import type { Operation } from '../operation.ts'
import { auditOperations } from './audit-operations.ts'
import { chunkOperations } from './chunk-operations.ts'
import { Device, DeviceMetadata, DeviceRegistration } from './device.ts'
import { fileOperations } from './file-operations.ts'
import { deviceIds, idempotencyKey, preferWait } from './operation-parts.ts'
import {
  SearchQuery,
  SearchReport,
  SearchReportReply,
  SearchRequest,
  SearchScopes,
  SearchStatus,
  SearchText,
} from './search.ts'
import { Cursor, Id, limitText, Timestamp } from './text.ts'
import { UploadFields, UploadRequest, UploadResult } from './upload.ts'

/** Every operation of the device cloud: the interface document's rows, then the additions of C1 to C25. */
export const deviceCloudOperations = {
  sendHeartbeat: {
    method: 'POST',
    path: '/api/devices/heartbeat',
    auth: 'device',
    summary: 'Shows the device as online and updates its metadata.',
    source: 'Device endpoints; C2, C3, C19, C21',
    body: z.object({ metadata: DeviceMetadata }),
    reply: z.object({
      success: z.boolean(),
      status: z.string(),
      /** Work that waits for the device, when the cloud says so (C21). */
      pending: z.optional(z.object({ searches: z.int(), uploads: z.int() })),
      /** When the cloud wants the next beat, in seconds (C21). */
      nextHeartbeatInSeconds: z.optional(z.number().check(z.positive())),
    }),
  },
  listPendingSearches: {
    method: 'GET',
    path: '/api/devices/search/pending',
    auth: 'device',
    summary: 'Lists searches that wait for the device, oldest first, at most 20.',
    source: 'Device endpoints; C10, C11, C22',
    headers: [preferWait],
    reply: z.object({ requests: z.array(SearchRequest) }),
  },
  reportSearch: {
    method: 'POST',
    path: '/api/devices/search',
    auth: 'device',
    summary:
      'Settles a search with its results or its error. The first report counts; a repeat gets the stored outcome.',
    source: 'Device endpoints; C7, C8, C9, C12, C18, C19',
    body: SearchReport,
    reply: SearchReportReply,
    errors: [404],
  },
  listPendingUploads: {
    method: 'GET',
    path: '/api/devices/files/upload-requests/pending',
    auth: 'device',
    summary: 'Lists files that the device is asked to upload, oldest first, at most 20.',
    source: 'Device endpoints; C4, C11, C22, C25',
    headers: [preferWait],
    replyHeaders: [
      {
        name: 'Upload-Chunk-Bytes',
        description:
          'Where the cloud offers uploads that resume: how large chunks should be, in bytes. Files up to that size are sent as one form (C25).',
      },
    ],
    reply: z.object({ requests: z.array(UploadRequest) }),
  },
  uploadFile: {
    method: 'POST',
    path: '/api/devices/files/upload',
    auth: 'device',
    summary: 'Stores a requested file, or takes the reason why the device cannot deliver it.',
    source: 'Device endpoints; C4, C6, C12, C13, C18',
    form: { fields: UploadFields, file: 'file' },
    reply: UploadResult,
    errors: [404],
  },
  ...chunkOperations,
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

/** The device cloud's table of operations. */
export type DeviceCloudOperations = typeof deviceCloudOperations

/** Id of an operation of the device cloud. */
export type DeviceCloudOperationId = keyof DeviceCloudOperations
