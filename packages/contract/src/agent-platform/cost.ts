import * as z from 'zod/mini'

/** Cost of model calls, by the prices at the time of each call. */
export const Cost = z.object({
  amount: z.number(),
  /** Currency code as in ISO 4217: `USD`. */
  currency: z.string(),
})
export type Cost = z.infer<typeof Cost>
