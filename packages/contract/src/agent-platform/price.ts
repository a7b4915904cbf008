import * as z from 'zod/mini'
import { orAbsent } from './values.ts'

const usd = z.number().check(z.gte(0), z.lte(1_000_000))

/** What a model costs, in US dollars for a million tokens. */
export const Price = z.object({
  /** Input that was neither read from the provider's prompt cache nor written to it. */
  inputPerMillion: usd,
  outputPerMillion: usd,
  /** Input that was read from the cache. Default: the price of input. */
  cachedInputPerMillion: orAbsent(usd),
  /** Input that was written to the cache. Default: the price of input. */
  cacheWritePerMillion: orAbsent(usd),
})
export type Price = z.infer<typeof Price>

/** Name of a model with its provider, as agents write it. */
export const PricedModel = z
  .string()
  .check(
    z.maxLength(300),
    z.regex(/^[^/\s]+\/\S+$/, 'must be "<provider>/<model id>", such as "openai/gpt-5.4"'),
  )

/** The price of a model. */
export const ModelPriceView = z.object({ model: PricedModel, ...Price.shape })
export type ModelPriceView = z.infer<typeof ModelPriceView>

/** A price that the operator set. It replaces the price of the catalog. */
export const PriceOverride = z.object({
  ...ModelPriceView.shape,
  /** `settings`: saved by `PUT /api/prices/{model}`, which wins. `host`: given at the start, such as by `prices.json`. */
  source: z.enum(['settings', 'host']),
})
export type PriceOverride = z.infer<typeof PriceOverride>

/** All prices. */
export const PriceList = z.object({
  /** Prices that ship with the product. They may be out of date: look at the date. */
  catalog: z.object({
    /** The day on which the providers' pages had all of these prices: `YYYY-MM-DD`. */
    date: z.string(),
    currency: z.literal('USD'),
    prices: z.array(ModelPriceView),
  }),
  /** The operator's own, by model. */
  prices: z.array(PriceOverride),
})
export type PriceList = z.infer<typeof PriceList>
