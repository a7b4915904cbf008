import * as z from 'zod/mini'
import { TimestampParameter } from '../device-cloud/list-query.ts'
import { JsonObject } from '../json-value.ts'
import { limitParameter, PageCursor, PlatformId, Timestamp } from './values.ts'

/** A change of the platform, completed or rejected. Never contains keys, tokens or values of settings. */
export const AuditRecord = z.object({
  id: PlatformId,
  at: Timestamp,
  /**
   * Caller: `token:<name>`, `api_token`, `local` if no token was needed, or a name from your app such as `user:<id>`
   * or `app`.
   */
  actor: z.string(),
  /** Name of the action, such as `agent.updated` or `token.created`. */
  action: z.string(),
  /** Object of the action: an id, or the path of a rejected request. */
  target: z.string(),
  /** `refused`: the action was rejected and nothing changed. */
  outcome: z.enum(['done', 'refused']),
  /**
   * Details, such as the names of changed fields or the reason for a rejection. `unfinished`: the server stopped
   * before the outcome was known.
   */
  details: z.optional(JsonObject),
})
export type AuditRecord = z.infer<typeof AuditRecord>

const filter = z.optional(z.string().check(z.minLength(1), z.maxLength(600)))

/** Filter for audit entries. */
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
