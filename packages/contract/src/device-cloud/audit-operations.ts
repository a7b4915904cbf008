import * as z from 'zod/mini'
import type { Operation } from '../operation.ts'
import { Actor, AuditAction, AuditEntry } from './audit.ts'
import { Cursor, limitText, Moment } from './list-query.ts'
import { Id } from './text.ts'

/** How users read what they did. */
export const auditOperations = {
  listAudit: {
    method: 'GET',
    path: '/api/audit',
    auth: 'session',
    needs: 'audit',
    summary: 'Lists what the user did and tried to do, newest first.',
    source: 'C11, C24',
    query: z.object({
      action: z.optional(AuditAction),
      deviceId: z.optional(Id),
      /** Who acted, as the entry names it. */
      actor: z.optional(Actor),
      /** Entries of this moment and later. */
      from: z.optional(Moment),
      /** Entries before this moment. */
      to: z.optional(Moment),
      limit: limitText(500),
      cursor: z.optional(Cursor),
    }),
    reply: z.object({ entries: z.array(AuditEntry), nextCursor: z.optional(Cursor) }),
  },
} as const satisfies Record<string, Operation>
