import * as z from 'zod/mini'
import { RunStatus } from './run.ts'

/**
 * Order of a list of runs; `-` means descending. Runs without a cost are last, as are unfinished runs for
 * `-duration`; newest first.
 */
export const RunSort = z.enum(['-created_at', 'created_at', '-cost', '-duration'])
export type RunSort = z.infer<typeof RunSort>

/** An amount of money as a query parameter, such as `0.25`. */
export const AmountString = z
  .string()
  .check(z.regex(/^\d{1,9}(\.\d{1,9})?$/, 'must be a number of at least 0, such as 0.25'))

/** Runs that were created in ten minutes, by status. */
export const RunTime = z.object({
  /** Begin of the ten minutes. */
  start: z.string(),
  /** A status without runs is absent. */
  runs: z.partialRecord(RunStatus, z.int()),
})
export type RunTime = z.infer<typeof RunTime>

/** Failed runs of one agent or graph with the same cause: errors that differ only in ids and numbers are one. */
export const FailureCause = z.object({
  agent_id: z.optional(z.string()),
  graph_id: z.optional(z.string()),
  code: z.optional(z.string()),
  /** Message of the newest run, at most 500 characters. */
  error: z.string(),
  /** All failed runs with this cause. */
  count: z.int(),
  /** Of these, runs that another run started. Absent for none. */
  parts: z.optional(z.int()),
  /** Users whose runs failed, at most 10. */
  user_ids: z.array(z.string()),
  /** All users whose runs failed. */
  users: z.int(),
  /** US dollars; absent if no run has a known cost. */
  cost_usd: z.optional(z.number()),
  /** When the last run failed. */
  last_at: z.string(),
  /** The newest run. */
  run_id: z.string(),
})
export type FailureCause = z.infer<typeof FailureCause>
