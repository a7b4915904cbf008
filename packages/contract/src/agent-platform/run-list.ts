import * as z from 'zod/mini'

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
