import * as z from 'zod/mini'

/** Tokens, as the providers counted them. */
export const Usage = z.object({
  /** All input, including tokens read from and written to the provider's prompt cache. */
  input_tokens: z.int(),
  /** All output, including reasoning. */
  output_tokens: z.int(),
  /** Input that was read from the provider's prompt cache. */
  cached_input_tokens: z.optional(z.int()),
  /** Input that was written to the provider's prompt cache. */
  cache_write_input_tokens: z.optional(z.int()),
  /** Output that is reasoning. */
  reasoning_tokens: z.optional(z.int()),
})
export type Usage = z.infer<typeof Usage>

/** What the model calls of one agent with one model have used in an hour or a day. */
export const UsageSum = z.object({
  /** Begin of the hour or day in UTC. */
  start: z.string(),
  agent_id: z.string(),
  /** With `group=user`: the user of the runs. Absent for runs without a user. */
  user_id: z.optional(z.string()),
  /** `provider/model-id` that answered. */
  model: z.string(),
  calls: z.int(),
  input_tokens: z.int(),
  output_tokens: z.int(),
  cached_input_tokens: z.int(),
  cache_write_input_tokens: z.int(),
  reasoning_tokens: z.int(),
  /** US dollars by the prices when the calls were made, as `cost` of a run. Absent if no call had a price. */
  cost_usd: z.optional(z.number()),
  /** Calls whose model had no price when they were made: they are not in `cost_usd`. Absent if all had one. */
  unpriced_calls: z.optional(z.int()),
})
export type UsageSum = z.infer<typeof UsageSum>

/** What model calls have used, oldest first. Times without a call are left out. */
export const UsageReport = z.object({
  from: z.string(),
  to: z.string(),
  interval: z.enum(['hour', 'day']),
  usage: z.array(UsageSum),
})
export type UsageReport = z.infer<typeof UsageReport>
