import * as z from 'zod/mini'
import { Id, Timestamp } from './text.ts'
import { StoredLinks } from './upload.ts'

/** `uploading` while a device holds the lease. When the lease expires, the status is `pending` again. */
export const UploadStatus = z.enum(['pending', 'uploading', 'completed', 'failed', 'canceled'])
export type UploadStatus = z.infer<typeof UploadStatus>

/** Storage of an uploaded file. */
export const UploadDestination = z.literal('cloud')

/** Path of a file on its device: 1 to 4,096 characters, no NUL. File names may contain other control characters. */
export const FilePath = z
  .string()
  .check(
    z.minLength(1),
    z.maxLength(4096),
    z.regex(/^[^\0\p{Cs}]*$/u, 'must not hold a NUL character or broken Unicode'),
  )

/** An upload request with its outcome, as users see it. */
export const Upload = z.object({
  id: Id,
  device: z.object({ id: Id, name: z.string() }),
  /** Group of the request. */
  groupId: z.optional(Id),
  filePath: z.string(),
  destination: z.string(),
  status: UploadStatus,
  createdAt: Timestamp,
  completedAt: z.nullable(Timestamp),
  /** Number of bytes that the cloud has received. May be present while `status` is `uploading`. */
  receivedBytes: z.optional(z.int()),
  /** Size of the whole file in bytes, if the device announced it for a resumable upload. */
  totalBytes: z.optional(z.int()),
  /** Name, size in bytes and URL of the stored file. Present if `status` is `completed`. */
  fileName: z.optional(z.string()),
  size: z.optional(z.int()),
  fileUrl: z.optional(z.string()),
  ...StoredLinks,
  /** Reason for the failure. Present if `status` is `failed`. */
  error: z.optional(z.string()),
})
export type Upload = z.infer<typeof Upload>
