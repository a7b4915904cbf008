/** What a model costs, in US dollars. */
export interface ModelPrice {
  /** A million input tokens; cached ones count in full. */
  readonly inputPerMillion: number
  /** A million output tokens. */
  readonly outputPerMillion: number
}

/** Prices by `provider/model-id`. */
export type Prices = Readonly<Record<string, ModelPrice>>

/** Millionths of a US dollar that so many tokens cost, rounded up. */
export function microUsdOf(price: ModelPrice, inputTokens: number, outputTokens: number): number {
  // dollars for a million tokens are millionths of a dollar for one
  return Math.ceil(inputTokens * price.inputPerMillion + outputTokens * price.outputPerMillion)
}
