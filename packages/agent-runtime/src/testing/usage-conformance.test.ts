import { expect, it } from 'vitest'
import { createTestStore } from './create-test-store.ts'
import type { RuntimeStore } from '../store/ports/runtime-store.ts'
import { usageStoreConformance } from './usage-conformance.ts'

type SumUsage = RuntimeStore['sumUsage']
type Break = (sum: SumUsage) => SumUsage

async function passes(breakStore: Break): Promise<boolean> {
  for (const { run } of usageStoreConformance) {
    const store = createTestStore()
    const broken = { ...store, sumUsage: breakStore(store.sumUsage) }
    const passed = await run({ create: async () => ({ store: broken }) }).then(
      () => true,
      () => false,
    )
    if (!passed) return false
  }
  return true
}

const brokenStores: Record<string, Break> = {
  'begins before the time': (sum) => (query, signal) =>
    sum({ ...query, from: '2000-01-01T00:00:00.000Z' }, signal),
  'goes on behind the time': (sum) => (query, signal) =>
    sum({ ...query, to: '2999-01-01T00:00:00.000Z' }, signal),
  'sums up by days alone': (sum) => (query, signal) => sum({ ...query, interval: 'day' }, signal),
  'ignores the agent': (sum) => (query, signal) => sum({ ...query, agentId: undefined }, signal),
  'ignores the model': (sum) => (query, signal) => sum({ ...query, model: undefined }, signal),
  'ignores the limit': (sum) => (query, signal) => sum({ ...query, limit: 1000 }, signal),
  'gives the newest first': (sum) => async (query, signal) => (await sum(query, signal)).toReversed(),
  'forgets what was cached': (sum) => async (query, signal) =>
    (await sum(query, signal)).map((total) => ({ ...total, cachedInputTokens: 0 })),
  'forgets what was written to a cache': (sum) => async (query, signal) =>
    (await sum(query, signal)).map((total) => ({ ...total, cacheWriteInputTokens: 0 })),
  'forgets the reasoning': (sum) => async (query, signal) =>
    (await sum(query, signal)).map((total) => ({ ...total, reasoningTokens: 0 })),
}

it('a store that counts nothing that waits fails the kit', async () => {
  const cases = usageStoreConformance.map(async ({ run }) => {
    const store = createTestStore()
    const nothing = { count: 0, oldestAt: undefined }
    const readBacklog = async () => ({ tasks: nothing, messages: nothing, approvals: nothing })
    await run({ create: async () => ({ store: { ...store, readBacklog } }) })
  })
  await expect(Promise.all(cases)).rejects.toThrow()
})

it('a store that is whole passes the kit', async () => {
  expect(await passes((sum) => sum)).toBe(true)
})

it.each(Object.keys(brokenStores))('a store that %s fails the kit', async (name) => {
  expect(await passes(brokenStores[name] ?? ((sum) => sum))).toBe(false)
})
