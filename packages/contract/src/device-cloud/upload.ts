import * as z from 'zod/mini'
import { Id, Timestamp } from './text.ts'

/** A file that the cloud asks a device for. */
export const UploadRequest = z.object({
  id: Id,
  filePath: z.string(),
  destination: z.string(),
  createdAt: Timestamp,
  /** Who asks: the actor of the session, or else `owner`. Older clouds leave it out. */
  actor: z.optional(z.string()),
})
export type UploadRequest = z.infer<typeof UploadRequest>

/** Links that a file store gives for a file it took. */
export const StoredLinks = {
  /** Present if Google Drive stores the file. */
  driveFile: z.optional(z.object({ webViewLink: z.string() })),
  /** Present if an S3-compatible store has the file. */
  spacesFile: z.optional(z.object({ publicUrl: z.string() })),
}

/** Answer to an upload: the stored file, or the failure that the device reported. */
export const UploadResult = z.discriminatedUnion('success', [
  z.object({ success: z.literal(true), fileName: z.string(), fileUrl: z.string(), ...StoredLinks }),
  z.object({ success: z.literal(false), error: z.string() }),
])
export type UploadResult = z.infer<typeof UploadResult>

/** Text parts of an upload. `error` instead of a file reports that the device cannot deliver it. */
export const UploadFields = z.object({
  /** `id` of the upload request, from the pending list. */
  requestId: Id,
  /** Why the device cannot deliver the file. Sent instead of the file. */
  error: z.optional(z.string().check(z.maxLength(4096))),
})
export type UploadFields = z.infer<typeof UploadFields>

/** SHA-256 in base64, as `Content-Digest` (RFC 9530) writes it. */
const digest = z.string().check(z.regex(/^[A-Za-z0-9+/]{43}=$/, 'must be a SHA-256 in base64'))

/** What a device is going to send in chunks: all of them are `chunkBytes` long but the last. */
export const ChunkPlan = z.object({
  fileName: z.string().check(z.maxLength(4096)),
  /** Bytes of the file, at least 1. */
  size: z.int().check(z.gte(1)),
  /** Bytes of a chunk: 65,536 to 67,108,864. */
  chunkBytes: z.int().check(z.gte(65_536), z.lte(67_108_864)),
  /** SHA-256 of each chunk in base64, in order: 1 to 1,000 of them. */
  digests: z.array(digest).check(z.minLength(1), z.maxLength(1000)),
})
export type ChunkPlan = z.infer<typeof ChunkPlan>

/** Progress of an upload in chunks. */
export const ChunkedUpload = z.object({
  /** Id of the upload request. */
  id: Id,
  /** Indexes of the chunks that the cloud has, from 0, in order. */
  received: z.array(z.int()),
  /** Whether the request has already ended. To get the stored outcome, complete the upload. */
  settled: z.boolean(),
})
export type ChunkedUpload = z.infer<typeof ChunkedUpload>

/** Place of a chunk as it stands in a path. */
export const ChunkIndex = z.string().check(z.regex(/^(0|[1-9]\d{0,2})$/, 'must be an integer from 0 to 999'))
