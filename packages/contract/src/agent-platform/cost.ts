import * as z from 'zod/mini'

/** What model calls have cost, by the prices at the time of each call. */
export const Cost = z.object({
  amount: z.number(),
  /** Currency as ISO 4217 writes it: `USD`. */
  currency: z.string(),
})
export type Cost = z.infer<typeof Cost>
