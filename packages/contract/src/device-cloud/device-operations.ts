import * as z from 'zod/mini'
import type { Operation } from '../operation.ts'
import { CatalogHead } from './catalog.ts'
import { DeviceMetadata } from './device-metadata.ts'
import { preferLongWait, preferWait } from './request-headers.ts'
import { FailedReportReply, SearchReport, SearchReportReply, SearchRequest } from './search.ts'
import { UploadFields, UploadRequest, UploadResult, ChunkedUpload, ChunkIndex, ChunkPlan } from './upload.ts'
import { Id, Timestamp } from './text.ts'

/** The rows of uploads that resume. */
const chunkOperations = {
  beginChunkedUpload: {
    method: 'PUT',
    path: '/api/devices/files/uploads/{id}',
    auth: 'device',
    summary:
      'Begins or resumes the upload of a requested file in chunks. Another plan deletes the chunks that the cloud has.',
    source: 'C4, C18, C25',
    params: z.object({ id: Id }),
    body: ChunkPlan,
    reply: ChunkedUpload,
    errors: [404],
  },
  readChunkedUpload: {
    method: 'GET',
    path: '/api/devices/files/uploads/{id}',
    auth: 'device',
    summary: 'Returns which chunks of a file the cloud has.',
    source: 'C25',
    params: z.object({ id: Id }),
    reply: ChunkedUpload,
    errors: [404],
  },
  sendUploadChunk: {
    method: 'PUT',
    path: '/api/devices/files/uploads/{id}/chunks/{index}',
    auth: 'device',
    summary: 'Stores one chunk of a file, in any order, also more than once. It must match the plan.',
    source: 'C12, C25',
    params: z.object({ id: Id, index: ChunkIndex }),
    headers: [
      {
        name: 'Content-Digest',
        description: '`sha-256=:<base64>:` (RFC 9530) of the chunk. Required.',
      },
    ],
    bytes: true,
    reply: z.object({ success: z.literal(true), index: z.int() }),
    errors: [404, 409],
  },
  completeChunkedUpload: {
    method: 'POST',
    path: '/api/devices/files/uploads/{id}/complete',
    auth: 'device',
    summary: 'Assembles the chunks and ends the request. A retry gets the same outcome.',
    source: 'C4, C13, C25',
    params: z.object({ id: Id }),
    reply: UploadResult,
    errors: [404, 409],
  },
} as const satisfies Record<string, Operation>

const uploadChunkBytes = {
  name: 'Upload-Chunk-Bytes',
  description:
    'Present if the cloud supports uploads that resume: the size of a chunk in bytes. Send files up to that size as one form.',
}

const reconnectWithin = {
  name: 'Reconnect-Within',
  description:
    'Present if few devices are connected: about how many seconds after a broken connection the device may ask again. Without it, ask again when the next request is due.',
}

/** Maximum number of ids of current work that a device can report. */
export const maxWorking = 2000

/** One request in place of heartbeats and both lists. */
const workOperations = {
  takeWork: {
    method: 'POST',
    path: '/api/devices/work',
    auth: 'device',
    summary:
      'Shows the device as online while the request is held, and returns all work that the device does not have, at most 20 of a kind.',
    source: 'One request for all work; C2, C19, C22',
    headers: [preferLongWait],
    body: z.object({
      metadata: DeviceMetadata,
      /** Ids of searches and upload requests that the device has and has not reported. */
      working: z.optional(z.array(Id).check(z.maxLength(maxWorking))),
    }),
    replyHeaders: [uploadChunkBytes, reconnectWithin],
    reply: z.object({
      searches: z.array(SearchRequest),
      uploads: z.array(UploadRequest),
      /** Time of the server. */
      now: Timestamp,
    }),
  },
  streamWork: {
    method: 'GET',
    path: '/api/devices/work',
    auth: 'device',
    summary:
      'Streams work as server-sent events `search` and `upload`, and `ping` every 25 seconds. The device is online while the stream is open.',
    source: 'One request for all work',
    reply: 'events',
    replyHeaders: [uploadChunkBytes],
    errors: [429],
  },
} as const satisfies Record<string, Operation>

/** The rows by which a device leaves the list of its files. */
const catalogOperations = {
  sendCatalog: {
    method: 'PUT',
    path: '/api/devices/catalog',
    auth: 'device',
    summary:
      'Stores the list of files of the device in place of the old list. The first line is `{"asOf", "files"}`, then each file is a line as in `results.files`. At most 64 MiB compressed.',
    source: 'Answers of devices that are off',
    bytes: { type: 'application/x-ndjson', encoding: 'gzip' },
    reply: z.object({ success: z.literal(true), ...CatalogHead.shape }),
    errors: [403, 409],
  },
  removeCatalog: {
    method: 'DELETE',
    path: '/api/devices/catalog',
    auth: 'device',
    summary: 'Deletes the list of files of the device. Succeeds without a list too.',
    source: 'Answers of devices that are off',
    reply: z.object({ success: z.literal(true) }),
  },
} as const satisfies Record<string, Operation>

/** Operations for devices. A device agent needs to load only this part of the table. */
export const deviceOperations = {
  sendHeartbeat: {
    method: 'POST',
    path: '/api/devices/heartbeat',
    auth: 'device',
    summary: 'Shows the device as online and updates its metadata.',
    source: 'Device endpoints; C2, C3, C19, C21',
    body: z.object({ metadata: DeviceMetadata }),
    replyHeaders: [reconnectWithin],
    reply: z.object({
      success: z.boolean(),
      status: z.string(),
      /** Number of pending requests for the device, if the cloud reports it. */
      pending: z.optional(z.object({ searches: z.int(), uploads: z.int() })),
      /** Seconds until the cloud expects the next heartbeat. */
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
    replyHeaders: [reconnectWithin],
    reply: z.object({ requests: z.array(SearchRequest) }),
  },
  reportSearch: {
    method: 'POST',
    path: '/api/devices/search',
    auth: 'device',
    summary: 'Reports the results or the error of a search. Later reports get the outcome of the first.',
    source: 'Device endpoints; C7, C8, C9, C12, C18, C19',
    body: SearchReport,
    reply: SearchReportReply,
    // its status is not in the interface: other clouds may give another one than 200 (C8)
    replyAtAnyStatus: FailedReportReply,
    errors: [404],
  },
  listPendingUploads: {
    method: 'GET',
    path: '/api/devices/files/upload-requests/pending',
    auth: 'device',
    summary: 'Lists files that the device is asked to upload, oldest first, at most 20.',
    source: 'Device endpoints; C4, C11, C22, C25',
    headers: [preferWait],
    replyHeaders: [uploadChunkBytes, reconnectWithin],
    reply: z.object({ requests: z.array(UploadRequest) }),
  },
  uploadFile: {
    method: 'POST',
    path: '/api/devices/files/upload',
    auth: 'device',
    summary: 'Stores a requested file, or why the device cannot deliver it.',
    source: 'Device endpoints; C4, C6, C12, C13, C18',
    form: { fields: UploadFields, file: 'file' },
    reply: UploadResult,
    errors: [404],
  },
  ...chunkOperations,
  ...catalogOperations,
  ...workOperations,
} as const satisfies Record<string, Operation>
