import * as z from 'zod/mini'
import type { Operation } from '../operation.ts'
import { UsageReport } from './usage.ts'
import { shortText, Slug, Timestamp } from './values.ts'

/** What model calls have used. */
export const usageOperations = {
  getUsage: {
    method: 'GET',
    path: '/api/usage',
    auth: 'local',
    scope: 'read',
    summary:
      'Sums up the tokens and the cost of model calls by agent, model, and hour or day in UTC, as far back as the journal goes.',
    source: 'D19',
    query: z.object({
      /** Calls that ended at this time or later. Default 30 days before `to`, or one day with `interval=hour`. */
      from: z.optional(Timestamp),
      /** Calls that ended before this time. Default a millisecond from now: what has ended is in it. */
      to: z.optional(Timestamp),
      /** Default `day`. By hours at most 31 days are summed up, by days at most 366. */
      interval: z.optional(z.enum(['hour', 'day'])),
      agent_id: z.optional(Slug),
      model: z.optional(shortText(200)),
    }),
    reply: UsageReport,
  },
} as const satisfies Record<string, Operation>
