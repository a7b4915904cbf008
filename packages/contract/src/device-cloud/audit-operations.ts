import * as z from 'zod/mini'
import type { Operation } from '../operation.ts'
import { Actor, AuditAction, AuditEntry } from './audit.ts'
import { Cursor, limitParameter, Moment } from './list-query.ts'
import { Id } from './text.ts'

/** How users read what they did. */
export const auditOperations = {
  listAudit: {
    method: 'GET',
    path: '/api/audit',
    auth: 'session',
    needs: 'audit',
    summary: "Lists the user's actions and rejected attempts, newest first.",
    source: 'C11, C24',
    query: z.object({
      action: z.optional(AuditAction),
      deviceId: z.optional(Id),
      /** Name of the actor in the entry. */
      actor: z.optional(Actor),
      /** Entries at or after this time. */
      from: z.optional(Moment),
      /** Entries before this time. */
      to: z.optional(Moment),
      limit: limitParameter(500),
      cursor: z.optional(Cursor),
    }),
    reply: z.object({ entries: z.array(AuditEntry), nextCursor: z.optional(Cursor) }),
  },
} as const satisfies Record<string, Operation>
