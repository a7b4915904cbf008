import type { PlatformContext, PlatformHandlers } from './platform-context.ts'

type PriceHandlers = Pick<PlatformHandlers, 'listPrices' | 'savePrice' | 'deletePrice'>

/** Prices of models. */
export function createPriceHandlers({ services: { prices } }: PlatformContext): PriceHandlers {
  return {
    listPrices: () => prices.list(),
    savePrice: async ({ params, body }) => ({ ok: true, price: await prices.save(params.model, body) }),
    async deletePrice({ params }) {
      await prices.delete(params.model)
      return { ok: true }
    },
  }
}
