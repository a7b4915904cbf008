import * as z from 'zod/mini'
import type { Operation } from '../operation.ts'
import { AuditQuery, AuditRecord } from './audit.ts'
import { PageCursor } from './values.ts'

/** How administrators read who changed what. */
export const auditOperations = {
  listAudit: {
    method: 'GET',
    path: '/api/audit',
    auth: 'local',
    scope: 'admin',
    summary:
      'Lists changes of agents, graphs, skills, settings, providers, tokens, routes and senders, and rejected attempts, with who made them, newest first.',
    source: 'A27',
    query: AuditQuery,
    reply: z.object({ entries: z.array(AuditRecord), next_cursor: z.optional(PageCursor) }),
  },
} as const satisfies Record<string, Operation>
