import * as z from 'zod/mini'
import type { Operation } from '../operation.ts'
import { hasOneTarget, idempotencyKey, targets } from './operation-parts.ts'
import { Cursor, limitParameter } from './list-query.ts'
import { Id } from './text.ts'
import { FilePath, Upload, UploadDestination, UploadStatus } from './dashboard-upload.ts'

/** The rows by which users ask for files and get them. */
export const fileOperations = {
  createUploads: {
    method: 'POST',
    path: '/api/devices/files/upload-requests',
    auth: 'session',
    needs: 'fetch',
    summary: 'Asks devices for a file. Select the devices by ids or by a filter.',
    source: 'C5, C20, C32',
    body: z
      .object({ ...targets, filePath: FilePath, destination: z._default(UploadDestination, 'cloud') })
      .check(hasOneTarget),
    headers: [idempotencyKey],
    status: 201,
    reply: z.object({
      success: z.boolean(),
      /** Id that all these requests share. To list the requests, pass it as `groupId`. */
      groupId: Id,
      /** At most the first 1,000 requests. */
      uploadRequests: z.array(z.object({ id: Id, deviceId: Id, status: UploadStatus })),
      message: z.string(),
    }),
    errors: [404, 409],
  },
  listUploads: {
    method: 'GET',
    path: '/api/devices/files/upload-requests',
    auth: 'session',
    needs: 'read',
    summary: "Lists the user's upload requests with their outcome, newest first.",
    source: 'C5, C11, C32',
    query: z.strictObject({
      requestId: z.optional(Id),
      deviceId: z.optional(Id),
      groupId: z.optional(Id),
      status: z.optional(UploadStatus),
      limit: limitParameter(500),
      cursor: z.optional(Cursor),
    }),
    reply: z.object({ results: z.array(Upload), nextCursor: z.optional(Cursor) }),
  },
  cancelUpload: {
    method: 'DELETE',
    path: '/api/devices/files/upload-requests/{id}',
    auth: 'session',
    needs: 'fetch',
    summary: 'Cancels an upload request that has not ended.',
    source: 'C4, C5',
    params: z.object({ id: Id }),
    reply: z.object({ success: z.literal(true), id: Id, status: z.literal('canceled') }),
    errors: [404, 409],
  },
  downloadFile: {
    method: 'GET',
    path: '/api/devices/files/{id}/{fileName}',
    auth: 'session',
    needs: 'fetch',
    summary: 'Streams an uploaded file as an attachment. `fileUrl` points here.',
    source: 'Upload result; C13, C20, C26',
    params: z.object({ id: Id, fileName: z.string() }),
    reply: 'bytes',
    inParts: true,
    errors: [404],
  },
} as const satisfies Record<string, Operation>
