import * as z from 'zod/mini'
import { Slug } from './values.ts'

/** A schedule of an agent or a graph, and how far it is (A9). */
export const ScheduleState = z.object({
  /** Exactly one of `agent_id` and `graph_id` is present. */
  agent_id: z.optional(Slug),
  graph_id: z.optional(Slug),
  /** Cron expression. */
  schedule: z.string(),
  /** IANA time zone that it counts in. */
  timezone: z.string(),
  enabled: z.boolean(),
  /** Absent when it is disabled, when it cannot be used, and when it never comes again. */
  next_fire: z.optional(z.string()),
  /** Time of the schedule that made a task last. */
  last_fire: z.optional(z.string()),
  /** Why it cannot be used. */
  error: z.optional(z.string()),
})
export type ScheduleState = z.infer<typeof ScheduleState>
