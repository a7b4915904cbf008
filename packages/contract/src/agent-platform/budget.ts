import * as z from 'zod/mini'
import { orAbsent } from './values.ts'

/**
 * Cost limit of model calls.
 *
 * The cost is reserved before each call and shared by all calls of the same run. A call with an unknown cost is not
 * made.
 */
export const Budget = z.object({
  /** Maximum number of input and output tokens together. */
  max_tokens: orAbsent(z.int().check(z.gte(1), z.lte(1_000_000_000_000))),
  /** Maximum cost in US dollars, by the server's price list. */
  max_usd: orAbsent(z.number().check(z.gt(0), z.lte(1_000_000))),
  /** Period of the budget: each run, or all runs of a calendar day or month in UTC. Default `run`. */
  period: orAbsent(z.enum(['run', 'day', 'month'])),
  /**
   * Share of the budget, from 0 to 1, at which a person is asked.
   *
   * The next model call then waits with the kind `budget` until a person approves the rest of the budget. The
   * approval applies to the same user until the period ends. Absent: no approval is needed.
   */
  ask_at: orAbsent(z.number().check(z.gte(0), z.lte(1))),
})
export type Budget = z.infer<typeof Budget>

/** Cost limit for the runs of each user. */
export const UserBudget = z.object({
  max_tokens: Budget.shape.max_tokens,
  max_usd: Budget.shape.max_usd,
  /** A calendar day or month in UTC. Default `day`. */
  period: orAbsent(z.enum(['day', 'month'])),
  ask_at: Budget.shape.ask_at,
})
export type UserBudget = z.infer<typeof UserBudget>
