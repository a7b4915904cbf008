import type { PriceOverride, Price, PriceList } from '@homeward/contract/agent-platform'
import { priceCatalog } from '../budgets/price-catalog.ts'
import type { ModelPrice, Prices } from '../budgets/prices.ts'
import { RuntimeError } from '../ports/runtime-error.ts'

/** Prices of models. */
export interface PriceBook {
  /** Lists the prices that ship with the product, with their date, and those that the operator set. */
  list(): Promise<PriceList>
  /**
   * Sets the price of a model `provider/model-id`, for cost, usage and budgets from now on.
   *
   * @throws {RuntimeError} `validation_error`, `storage_error`.
   */
  save(model: string, price: Price): Promise<PriceOverride>
  /** Deletes the operator's price of a model. @throws {RuntimeError} `not_found` if none is set. */
  delete(model: string): Promise<void>
}

/** Where own prices are stored. */
interface PriceOverrides {
  read(): Prices
  save(model: string, price: Price): Promise<void>
  remove(model: string): Promise<boolean>
}

/** Lists prices, and changes the operator's own. @param host prices that were given at the start */
export function createPriceBook(own: PriceOverrides, host: Prices = {}): PriceBook {
  return {
    async list() {
      const { date, prices } = priceCatalog
      const saved = own.read()
      const given = Object.entries(host).filter(([model]) => !Object.hasOwn(saved, model))
      const all = [
        ...Object.entries(saved).map(([model, price]): PriceOverride => toOwn(model, price, 'settings')),
        ...given.map(([model, price]): PriceOverride => toOwn(model, price, 'host')),
      ]
      return {
        catalog: {
          date,
          currency: 'USD',
          prices: Object.entries(prices).map(([model, price]) => ({ model, ...price })),
        },
        prices: all.toSorted((a, b) => (a.model < b.model ? -1 : 1)),
      }
    },
    async save(model, price) {
      await own.save(model, price)
      return toOwn(model, price, 'settings')
    },
    async delete(model) {
      if (await own.remove(model)) return
      throw new RuntimeError(
        'not_found',
        'Deleting the price failed: no price is saved for this model. List the prices to find it.',
      )
    },
  }
}

const toOwn = (model: string, price: ModelPrice, source: PriceOverride['source']): PriceOverride => ({
  model,
  ...price,
  source,
})
