import { expect, it } from 'vitest'
import { gzippedBytes } from './bundle-size.ts'

/**
 * Most bytes, gzipped, of what a program takes of an entry, with everything that this loads. A device pays for each of
 * them. ofetch with its two dependencies is 4,400 of the bytes of each client here (D22).
 */
const budgets = [
  { specifier: '@homeward/device-sdk', names: ['createDeviceAgent'], budget: 34_000 },
  { specifier: '@homeward/device-sdk', names: ['enrollDevice'], budget: 21_200 },
  { specifier: '@homeward/device-sdk', names: ['createDeviceClient'], budget: 21_750 },
  { specifier: '@homeward/device-sdk', names: ['createUserClient'], budget: 26_050 },
  { specifier: '@homeward/device-sdk', names: undefined, budget: 42_850 },
  { specifier: '@homeward/contract/client', names: undefined, budget: 10_150 },
  { specifier: '@homeward/contract/handler', names: undefined, budget: 16_400 },
]

it.each(budgets)('$specifier, $names, stays within $budget bytes', async ({ specifier, names, budget }) => {
  const bytes = await gzippedBytes(specifier, names)
  expect(bytes).toBeLessThanOrEqual(budget)
  expect(bytes, 'the budget is far too wide to notice anything').toBeGreaterThan(budget / 3)
})
