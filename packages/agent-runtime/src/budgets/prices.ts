import type { Usage } from '@homeward/contract/agent-platform'
import type { RunCost } from '../store/ports/run-store.ts'
import { priceCatalog } from './price-catalog.ts'

/** Price of a model, in US dollars. */
export interface ModelPrice {
  /** Price of a million input tokens that were neither read from the provider's cache nor written to it. */
  readonly inputPerMillion: number
  /** Price of a million output tokens. */
  readonly outputPerMillion: number
  /** Price of a million input tokens read from the provider's cache. @default the price of input */
  readonly cachedInputPerMillion?: number | undefined
  /** Price of a million input tokens written to the provider's cache. @default the price of input */
  readonly cacheWritePerMillion?: number | undefined
}

/** Prices by `provider/model-id`. */
export type Prices = Readonly<Record<string, ModelPrice>>

/** Gives the price of a model, as it is at that moment; undefined without one. */
export type PriceOf = (model: string) => ModelPrice | undefined

/** Looks prices up in a table. */
export const toPriceOf =
  (prices: Prices): PriceOf =>
  (model) =>
    Object.hasOwn(prices, model) ? prices[model] : undefined

/** Gives the price of a model: the operator's own, else the host's, else that of the catalog. */
export function createPriceOf(own: { lastRead(): Prices }, host: Prices = {}): PriceOf {
  const ofHost = toPriceOf(host)
  const ofCatalog = toPriceOf(priceCatalog.prices)
  return (model) => toPriceOf(own.lastRead())(model) ?? ofHost(model) ?? ofCatalog(model)
}

/** Tokens that are paid for. */
interface PaidTokens {
  /** All input, what was read from a cache and written to it among it. */
  readonly input: number
  readonly output: number
  /** @default 0 */
  readonly cacheRead?: number
  /** @default 0 */
  readonly cacheWrite?: number
}

/** Millionths of a US dollar that so many tokens cost, rounded up. */
export function microUsdOf(price: ModelPrice, tokens: PaidTokens): number {
  const {
    inputPerMillion,
    cachedInputPerMillion = inputPerMillion,
    cacheWritePerMillion = inputPerMillion,
  } = price
  const { input, output, cacheRead = 0, cacheWrite = 0 } = tokens
  const plain = Math.max(0, input - cacheRead - cacheWrite)
  // dollars for a million tokens are millionths of a dollar for one
  return Math.ceil(
    plain * inputPerMillion +
      cacheRead * cachedInputPerMillion +
      cacheWrite * cacheWritePerMillion +
      output * price.outputPerMillion,
  )
}

/** Millionths of a US dollar that so many tokens cost at most: how much of the input is cached is not known beforehand. */
export function mostMicroUsdOf(
  price: ModelPrice,
  { input, output }: Pick<PaidTokens, 'input' | 'output'>,
): number {
  const { inputPerMillion, cachedInputPerMillion = 0, cacheWritePerMillion = 0 } = price
  const dearest = Math.max(inputPerMillion, cachedInputPerMillion, cacheWritePerMillion)
  return microUsdOf({ inputPerMillion: dearest, outputPerMillion: price.outputPerMillion }, { input, output })
}

/** What the tokens of a model call cost; without a price nothing, and the sum is partial. */
export function costOf(price: ModelPrice | undefined, used: Usage): RunCost {
  if (!price) return { microUsd: 0, isPartial: true }
  const { input_tokens: input, output_tokens: output } = used
  const { cached_input_tokens: cacheRead = 0, cache_write_input_tokens: cacheWrite = 0 } = used
  return { microUsd: microUsdOf(price, { input, output, cacheRead, cacheWrite }) }
}
