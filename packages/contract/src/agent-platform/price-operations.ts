import * as z from 'zod/mini'
import type { Operation } from '../operation.ts'
import { OwnPrice, Price, PricedModel, PriceList } from './price.ts'
import { Done } from './values.ts'

const byModel = z.object({ model: PricedModel })

/** What models cost (additions 6). */
export const priceOperations = {
  listPrices: {
    method: 'GET',
    path: '/api/prices',
    auth: 'local',
    scope: 'read',
    summary: 'Lists the built-in prices with their date, and the prices that you have set.',
    source: 'additions 6',
    reply: PriceList,
  },
  savePrice: {
    method: 'PUT',
    path: '/api/prices/{model}',
    auth: 'local',
    scope: 'admin',
    summary:
      'Sets the price of a model for cost, usage and budgets from now on. Write the `/` in the name as `%2F`.',
    source: 'additions 6',
    params: byModel,
    body: Price,
    reply: z.object({ ok: z.literal(true), price: OwnPrice }),
  },
  deletePrice: {
    method: 'DELETE',
    path: '/api/prices/{model}',
    auth: 'local',
    scope: 'admin',
    summary:
      'Deletes the price that you have set for a model. The price of your app or of the catalog applies again.',
    source: 'additions 6',
    params: byModel,
    reply: Done,
    errors: [404],
  },
} as const satisfies Record<string, Operation>
