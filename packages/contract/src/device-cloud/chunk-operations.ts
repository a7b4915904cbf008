import * as z from 'zod/mini'
import type { Operation } from '../operation.ts'
import { Id } from './text.ts'
import { ChunkedUpload, ChunkIndex, ChunkPlan, UploadResult } from './upload.ts'

/** The rows of uploads that resume. */
export const chunkOperations = {
  beginChunkedUpload: {
    method: 'PUT',
    path: '/api/devices/files/uploads/{id}',
    auth: 'device',
    summary:
      'Begins or resumes the upload of a requested file in chunks. With the same plan, chunks that the cloud already has are used again. With another plan, they are deleted.',
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
    summary:
      'Stores one chunk of a file. Chunks may be sent in any order and more than once. Each must match the plan byte by byte.',
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
    summary: 'Assembles the chunks and ends the request. A retry gets the stored outcome.',
    source: 'C4, C13, C25',
    params: z.object({ id: Id }),
    reply: UploadResult,
    errors: [404, 409],
  },
} as const satisfies Record<string, Operation>
