/** What a model costs, in US dollars. */
export interface ModelPrice {
  /** A million input tokens that were neither read from the provider's cache nor written to it. */
  readonly inputPerMillion: number
  /** A million output tokens. */
  readonly outputPerMillion: number
  /** A million input tokens that were read from the provider's cache. @default the price of input */
  readonly cachedInputPerMillion?: number | undefined
  /** A million input tokens that were written to the provider's cache. @default the price of input */
  readonly cacheWritePerMillion?: number | undefined
}

/** Prices by `provider/model-id`. */
export type Prices = Readonly<Record<string, ModelPrice>>

/** Tokens that are paid for. */
export interface PaidTokens {
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
