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
    summary: 'Lists the prices that ship with the product, with their date, and the operator’s own.',
    source: 'additions 6',
    reply: PriceList,
  },
  savePrice: {
    method: 'PUT',
    path: '/api/prices/{model}',
    auth: 'local',
    scope: 'admin',
    summary:
      'Gives a model a price of its own, for cost, usage and budgets from now on. The `/` in the name is written `%2F`.',
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
    summary: 'Deletes the own price of a model: that of the host or the catalog counts again.',
    source: 'additions 6',
    params: byModel,
    reply: Done,
    errors: [404],
  },
} as const satisfies Record<string, Operation>
