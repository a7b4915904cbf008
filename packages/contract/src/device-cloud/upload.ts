import * as z from 'zod/mini'
import { Id, Timestamp } from './text.ts'

/** `uploading` while a device holds the lease; an expired lease is `pending` again (C4). */
export const UploadStatus = z.enum(['pending', 'uploading', 'completed', 'failed', 'canceled'])
export type UploadStatus = z.infer<typeof UploadStatus>

/** Where an uploaded file goes. */
export const UploadDestination = z.literal('cloud')

/** Path of a file on its device: 1 to 4,096 characters, no NUL. Other control characters are legal in names of files. */
export const FilePath = z
  .string()
  .check(
    z.minLength(1),
    z.maxLength(4096),
    z.regex(/^[^\0\p{Cs}]*$/u, 'must not hold a NUL character or broken Unicode'),
  )

/** A file that the cloud asks a device for. */
export const UploadRequest = z.object({
  id: Id,
  filePath: z.string(),
  destination: z.string(),
  createdAt: Timestamp,
})
export type UploadRequest = z.infer<typeof UploadRequest>

/** Links that a file store gives for a file it took (C13). */
export const StoredLinks = {
  /** Present when Google Drive took the file. */
  driveFile: z.optional(z.object({ webViewLink: z.string() })),
  /** Present when an S3-compatible store took the file. */
  spacesFile: z.optional(z.object({ publicUrl: z.string() })),
}

/** Answer to an upload: the stored file, or the failure that the device reported. */
export const UploadResult = z.discriminatedUnion('success', [
  z.object({ success: z.literal(true), fileName: z.string(), fileUrl: z.string(), ...StoredLinks }),
  z.object({ success: z.literal(false), error: z.string() }),
])
export type UploadResult = z.infer<typeof UploadResult>

/** Text parts of an upload. `error` instead of a file reports that the device cannot deliver it (C6). */
export const UploadFields = z.object({
  /** `id` of the upload request, as the pending list gave it. */
  requestId: Id,
  /** Instead of the file: why the device cannot deliver it (C6). */
  error: z.optional(z.string().check(z.maxLength(4096))),
})
export type UploadFields = z.infer<typeof UploadFields>

/** An upload request with its outcome, as dashboards see it. */
export const Upload = z.object({
  id: Id,
  device: z.object({ id: Id, name: z.string() }),
  filePath: z.string(),
  destination: z.string(),
  status: UploadStatus,
  createdAt: Timestamp,
  completedAt: z.nullable(Timestamp),
  /** Name, size in bytes and URL of the stored file; present when `status` is `completed`. */
  fileName: z.optional(z.string()),
  size: z.optional(z.int()),
  fileUrl: z.optional(z.string()),
  ...StoredLinks,
  /** Why it failed; present when `status` is `failed`. */
  error: z.optional(z.string()),
})
export type Upload = z.infer<typeof Upload>
