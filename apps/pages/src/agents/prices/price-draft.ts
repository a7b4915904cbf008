import type { ModelPriceView, Price } from '@homeward/contract/agent-platform'

/** A price as it is being written. A number that was not written is `NaN`. */
export interface PriceDraft {
  readonly model: string
  readonly input: number
  readonly output: number
  readonly cached: number
  readonly cacheWrite: number
}

/** Begins a form: for a price that is there, or for a model that has none. */
export function toDraft(price: ModelPriceView | undefined, model = ''): PriceDraft {
  return {
    model: price?.model ?? model,
    input: price?.inputPerMillion ?? Number.NaN,
    output: price?.outputPerMillion ?? Number.NaN,
    cached: price?.cachedInputPerMillion ?? Number.NaN,
    cacheWrite: price?.cacheWritePerMillion ?? Number.NaN,
  }
}

/** What is sent; undefined while a number that is needed is missing. */
export function toPrice({ input, output, cached, cacheWrite }: PriceDraft): Price | undefined {
  if (Number.isNaN(input) || Number.isNaN(output)) return undefined
  return {
    inputPerMillion: input,
    outputPerMillion: output,
    ...(!Number.isNaN(cached) && { cachedInputPerMillion: cached }),
    ...(!Number.isNaN(cacheWrite) && { cacheWritePerMillion: cacheWrite }),
  }
}
