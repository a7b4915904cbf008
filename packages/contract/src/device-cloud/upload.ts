import * as z from 'zod/mini'
import { Id, Timestamp } from './text.ts'

/** A file that the cloud requests from a device. */
export const UploadRequest = z.object({
  id: Id,
  filePath: z.string(),
  destination: z.string(),
  createdAt: Timestamp,
  /** Requester: the actor of the session, or else `owner`. Older clouds omit it. */
  actor: z.optional(z.string()),
})
export type UploadRequest = z.infer<typeof UploadRequest>

/** Links to a stored file, from the file store. */
export const StoredLinks = {
  /** Present if Google Drive stores the file. */
  driveFile: z.optional(z.object({ webViewLink: z.string() })),
  /** Present if an S3-compatible store holds the file. */
  spacesFile: z.optional(z.object({ publicUrl: z.string() })),
}

/** Response to an upload: the stored file, or the failure that the device reported. */
export const UploadResult = z.discriminatedUnion('success', [
  z.object({ success: z.literal(true), fileName: z.string(), fileUrl: z.string(), ...StoredLinks }),
  z.object({ success: z.literal(false), error: z.string() }),
])
export type UploadResult = z.infer<typeof UploadResult>

/** Text parts of an upload. A device that cannot send the file sends `error` instead. */
export const UploadFields = z.object({
  /** `id` of the upload request from the pending list. */
  requestId: Id,
  /** Reason why the device cannot send the file. Sent instead of the file. */
  error: z.optional(z.string().check(z.maxLength(4096))),
})
export type UploadFields = z.infer<typeof UploadFields>

/** SHA-256 in base64, as `Content-Digest` (RFC 9530) writes it. */
const digest = z.string().check(z.regex(/^[A-Za-z0-9+/]{43}=$/, 'must be a SHA-256 in base64'))

/** Announcement of an upload in chunks. Every chunk except the last has `chunkBytes` bytes. */
export const ChunkPlan = z.object({
  fileName: z.string().check(z.maxLength(4096)),
  /** Size of the file in bytes, at least 1. */
  size: z.int().check(z.gte(1)),
  /** Size of a chunk in bytes: 65,536 to 67,108,864. */
  chunkBytes: z.int().check(z.gte(65_536), z.lte(67_108_864)),
  /** SHA-256 of each chunk in base64, in order: 1 to 1,000 entries. */
  digests: z.array(digest).check(z.minLength(1), z.maxLength(1000)),
})
export type ChunkPlan = z.infer<typeof ChunkPlan>

/** Progress of an upload in chunks. */
export const ChunkedUpload = z.object({
  /** Id of the upload request. */
  id: Id,
  /** Sorted indexes of the received chunks, from 0. */
  received: z.array(z.int()),
  /** Whether the request has already ended. To get the stored outcome, call the operation that completes the upload. */
  settled: z.boolean(),
})
export type ChunkedUpload = z.infer<typeof ChunkedUpload>

/** Index of a chunk as a path parameter. */
export const ChunkIndex = z.string().check(z.regex(/^(0|[1-9]\d{0,2})$/, 'must be an integer from 0 to 999'))
