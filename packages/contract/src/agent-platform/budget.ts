import * as z from 'zod/mini'
import { orAbsent } from './values.ts'

/**
 * What model calls may cost. It is reserved before each call and shared by everything that works for the same run;
 * a call whose cost cannot be told beforehand does not happen.
 */
export const Budget = z.object({
  /** Input and output tokens together. */
  max_tokens: orAbsent(z.int().check(z.gte(1), z.lte(1_000_000_000_000))),
  /** US dollars, by the prices of the server. */
  max_usd: orAbsent(z.number().check(z.gt(0), z.lte(1_000_000))),
  /** Scope of the budget: each run, or all runs of a calendar day or month in UTC. Default `run`. */
  period: orAbsent(z.enum(['run', 'day', 'month'])),
  /**
   * Share of the budget from 0 to 1. Once it is used, the next model call waits with the kind `budget` until a person lets the run
   * continue to the limit: for the same user, until the period ends. Absent: nobody is asked.
   */
  ask_at: orAbsent(z.number().check(z.gte(0), z.lte(1))),
})
export type Budget = z.infer<typeof Budget>

/** What the runs of each user may cost. */
export const UserBudget = z.object({
  max_tokens: Budget.shape.max_tokens,
  max_usd: Budget.shape.max_usd,
  /** A calendar day or month in UTC. Default `day`. */
  period: orAbsent(z.enum(['day', 'month'])),
  ask_at: Budget.shape.ask_at,
})
export type UserBudget = z.infer<typeof UserBudget>
