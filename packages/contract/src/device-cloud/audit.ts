import * as z from 'zod/mini'
import { Id, Timestamp } from './text.ts'

/** What a user did, or tried to do (C24). */
export const AuditAction = z.enum([
  'device:registered',
  'device:deleted',
  'key:revealed',
  'key:rotated',
  'search:created',
  'upload:created',
  'upload:canceled',
  'file:downloaded',
])
export type AuditAction = z.infer<typeof AuditAction>

/** An act of a user, as it was recorded. Never holds keys, search texts, results or file contents (C24). */
export const AuditEntry = z.object({
  id: Id,
  createdAt: Timestamp,
  /** Who did it. */
  userId: z.string(),
  action: AuditAction,
  /** `refused`: it was tried, and nothing was done. */
  outcome: z.enum(['done', 'refused']),
  /** Why it was refused; null when it was done. */
  reason: z.nullable(z.string()),
  /** The device that it was about, as the caller named it. */
  deviceId: z.nullable(z.string()),
  /** The search, the upload request or the file that it was about. */
  subjectId: z.nullable(z.string()),
  /** Name of the device, path of the requested file, or name of the downloaded one. */
  name: z.nullable(z.string()),
  /** Network address that the call came from; null for the host's own calls. */
  address: z.nullable(z.string()),
})
export type AuditEntry = z.infer<typeof AuditEntry>
