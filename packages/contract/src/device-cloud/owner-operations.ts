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
      'Streams everything that the user has as NDJSON: a line `{"type", "data"}` for each row, then one of type `end`.',
    source: 'C31',
    reply: 'bytes',
  },
  eraseOwner: {
    method: 'DELETE',
    path: '/api/owner',
    auth: 'session',
    needs: 'manage',
    needsSession: true,
    summary: 'Erases everything that the user has. API tokens may not call this.',
    source: 'C31',
    reply: z.object({
      success: z.literal(true),
      /** Whether everything is gone already. If not, the server goes on, also after a restart. */
      done: z.boolean(),
    }),
  },
} as const satisfies Record<string, Operation>
