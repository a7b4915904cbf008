import { expect, it } from 'vitest'
import { gzippedBytes } from './bundle-size.ts'

/** Most bytes, gzipped, of what a program takes of an entry, with everything that this loads. A device pays for each of them. */
const budgets = [
  { specifier: '@homeward/device-sdk', names: ['createDeviceAgent'], budget: 25_250 },
  { specifier: '@homeward/device-sdk', names: ['createDeviceClient'], budget: 16_500 },
  { specifier: '@homeward/device-sdk', names: ['createDashboardClient'], budget: 16_500 },
  { specifier: '@homeward/device-sdk', names: undefined, budget: 27_700 },
  { specifier: '@homeward/contract/client', names: undefined, budget: 10_000 },
  { specifier: '@homeward/contract/handler', names: undefined, budget: 13_800 },
]

it.each(budgets)('$specifier, $names, stays within $budget bytes', async ({ specifier, names, budget }) => {
  const bytes = await gzippedBytes(specifier, names)
  expect(bytes).toBeLessThanOrEqual(budget)
  expect(bytes, 'the budget is far too wide to notice anything').toBeGreaterThan(budget / 3)
})
