import * as z from 'zod/mini'
import { orAbsent } from './values.ts'

const usd = z.number().check(z.gte(0), z.lte(1_000_000))

/** Price of a model in US dollars per million tokens. */
export const Price = z.object({
  /** Price of input that was neither read from the provider's prompt cache nor written to it. */
  inputPerMillion: usd,
  outputPerMillion: usd,
  /** Price of input that was read from the cache. Default: the price of input. */
  cachedInputPerMillion: orAbsent(usd),
  /** Price of input that was written to the cache. Default: the price of input. */
  cacheWritePerMillion: orAbsent(usd),
})
export type Price = z.infer<typeof Price>

/** Name of a model with its provider, such as `openai/gpt-5`. */
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
  /**
   * `settings`: saved by `PUT /api/prices/{model}`; overrides the other. `host`: given at the start, for example by
   * `prices.json`.
   */
  source: z.enum(['settings', 'host']),
})
export type PriceOverride = z.infer<typeof PriceOverride>

/** All prices. */
export const PriceList = z.object({
  /** Prices that ship with the product. They may be out of date: check the date. */
  catalog: z.object({
    /** Date on which all of these prices matched the providers' pages: `YYYY-MM-DD`. */
    date: z.string(),
    currency: z.literal('USD'),
    prices: z.array(ModelPriceView),
  }),
  /** Prices that the operator set, by model. */
  prices: z.array(PriceOverride),
})
export type PriceList = z.infer<typeof PriceList>
