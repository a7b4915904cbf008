import * as z from 'zod/mini'

/** Token counts as reported by the providers. */
export const Usage = z.object({
  /** All input, including tokens read from and written to the provider's prompt cache. */
  input_tokens: z.int(),
  /** All output, including reasoning. */
  output_tokens: z.int(),
  /** Input read from the provider's prompt cache. */
  cached_input_tokens: z.optional(z.int()),
  /** Input written to the provider's prompt cache. */
  cache_write_input_tokens: z.optional(z.int()),
  /** Output that is reasoning. */
  reasoning_tokens: z.optional(z.int()),
})
export type Usage = z.infer<typeof Usage>

/** Usage of one agent with one model in an hour or a day. */
export const UsageSum = z.object({
  /** Start of the hour or day in UTC. */
  start: z.string(),
  agent_id: z.string(),
  /** User of the runs, with `group=user`. Absent for runs without a user. */
  user_id: z.optional(z.string()),
  /** Model that was used: `provider/model-id`. */
  model: z.string(),
  calls: z.int(),
  input_tokens: z.int(),
  output_tokens: z.int(),
  cached_input_tokens: z.int(),
  cache_write_input_tokens: z.int(),
  reasoning_tokens: z.int(),
  /** Cost in US dollars, by the prices at the time of the calls. Absent if no call had a price. */
  cost_usd: z.optional(z.number()),
  /** Number of calls without a price, which are not in `cost_usd`. Absent if all had one. */
  unpriced_calls: z.optional(z.int()),
})
export type UsageSum = z.infer<typeof UsageSum>

/** Usage of model calls, oldest first. Hours and days without calls are left out. */
export const UsageReport = z.object({
  from: z.string(),
  to: z.string(),
  interval: z.enum(['hour', 'day']),
  usage: z.array(UsageSum),
})
export type UsageReport = z.infer<typeof UsageReport>
