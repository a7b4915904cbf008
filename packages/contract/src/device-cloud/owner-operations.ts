import * as z from 'zod/mini'
import type { Operation } from '../operation.ts'

/** What an owner does with everything at once. */
export const ownerOperations = {
  exportOwner: {
    method: 'GET',
    path: '/api/export',
    auth: 'session',
    needs: 'manage',
    summary:
      'Streams all data of the user as NDJSON: a line `{"type", "data"}` for each row, then a line of type `end`. Kinds of rows whose own list the session may not read are left out, and `end` names them in `leftOut`.',
    source: 'C31',
    reply: 'bytes',
  },
  eraseOwner: {
    method: 'DELETE',
    path: '/api/owner',
    auth: 'session',
    needs: 'manage',
    needsSession: true,
    summary: 'Erases all data of the user. API tokens may not call this.',
    source: 'C31',
    reply: z.object({
      success: z.literal(true),
      /** Whether everything is already erased. If not, the server continues, also after a restart. */
      done: z.boolean(),
    }),
  },
} as const satisfies Record<string, Operation>
