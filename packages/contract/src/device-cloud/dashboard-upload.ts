import * as z from 'zod/mini'
import { Id, Timestamp } from './text.ts'
import { StoredLinks } from './upload.ts'

/** `uploading` while a device holds the lease; an expired lease is `pending` again. */
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

/** An upload request with its outcome, as dashboards see it. */
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
  /** Bytes that the cloud has received. May be present while `status` is `uploading`. */
  receivedBytes: z.optional(z.int()),
  /** Bytes of the whole file, if the device has announced them (uploads that resume). */
  totalBytes: z.optional(z.int()),
  /** Name, size in bytes and URL of the stored file. Present if `status` is `completed`. */
  fileName: z.optional(z.string()),
  size: z.optional(z.int()),
  fileUrl: z.optional(z.string()),
  ...StoredLinks,
  /** Why it failed. Present if `status` is `failed`. */
  error: z.optional(z.string()),
})
export type Upload = z.infer<typeof Upload>
