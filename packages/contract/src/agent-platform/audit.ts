import * as z from 'zod/mini'
import { TimestampParameter } from '../device-cloud/list-query.ts'
import { JsonObject } from '../json-value.ts'
import { limitParameter, PageCursor, PlatformId, Timestamp } from './values.ts'

/** A change of the platform, or a try of one. Never holds keys, tokens or the values of settings. */
export const AuditRecord = z.object({
  id: PlatformId,
  at: Timestamp,
  /** Who acted: `token:<name>`, `api_token`, `local` if no token was needed, or what the app says: `user:<id>`, `app`. */
  actor: z.string(),
  /** What was done, such as `agent.updated` or `token.created`. */
  action: z.string(),
  /** What it was done to: an id, or the path of a request that was refused. */
  target: z.string(),
  /** `refused`: it was tried, and nothing was changed. */
  outcome: z.enum(['done', 'refused']),
  /** Particulars, such as the names of the fields that were changed, or why it was refused. `unfinished`: the server
   * stopped before it knew how the change ended. */
  details: z.optional(JsonObject),
})
export type AuditRecord = z.infer<typeof AuditRecord>

const filter = z.optional(z.string().check(z.minLength(1), z.maxLength(600)))

/** Which part of the audit. */
export const AuditQuery = z.object({
  actor: filter,
  action: filter,
  target: filter,
  /** Entries at or after this time. */
  from: z.optional(TimestampParameter),
  /** Entries before this time. */
  to: z.optional(TimestampParameter),
  limit: limitParameter(500),
  cursor: z.optional(PageCursor),
})
export type AuditQuery = z.infer<typeof AuditQuery>
