import { expect, it } from 'vitest'
import { gzippedBytes } from './bundle-size.ts'

/** Most bytes of an entry, gzipped, with everything that it loads. A device pays for each of them. */
const budgets = {
  '@homeward/device-sdk': 27_500,
  '@homeward/contract/client': 10_000,
  '@homeward/contract/handler': 13_500,
}

it.each(Object.entries(budgets))('%s stays within %i bytes', async (specifier, budget) => {
  const bytes = await gzippedBytes(specifier)
  expect(bytes).toBeLessThanOrEqual(budget)
  expect(bytes, 'the budget is far too wide to notice anything').toBeGreaterThan(budget / 3)
})
