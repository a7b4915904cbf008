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
      'Begins to send a requested file in chunks, or goes on with it: the same plan finds the chunks that came before, another plan drops them.',
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
    summary: 'Tells which chunks of a file the cloud has.',
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
      'Stores one chunk of a file, in any order. It must be the one that was planned, byte by byte; one that is there already may come again.',
    source: 'C12, C25',
    params: z.object({ id: Id, index: ChunkIndex }),
    headers: [
      {
        name: 'Content-Digest',
        description: '`sha-256=:<base64>:` (RFC 9530) of the chunk. Needed.',
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
    summary: 'Puts the chunks together and settles the request. A repeat gets the stored outcome.',
    source: 'C4, C13, C25',
    params: z.object({ id: Id }),
    reply: UploadResult,
    errors: [404, 409],
  },
} as const satisfies Record<string, Operation>
