import { expect, it } from 'vitest'
import { createTestStore } from '../../testing/create-test-store.ts'
import { createSqliteStore } from '../../store/sqlite/create-sqlite-store.ts'
import { agentOf, createKit, type KitOptions } from '../testing/run-kit.ts'

const createId = () => crypto.randomUUID()
const agents = [agentOf({ budget: { max_tokens: 100_000, period: 'day' } })]
const range = { from: '2020-01-01T00:00:00.000Z', to: '2999-01-01T00:00:00.000Z', interval: 'day' } as const

/** What two runs come to that each use so many tokens, as far as the provider tells. */
async function runTwice(tokens: number, options: KitOptions = {}) {
  const store = createSqliteStore({ path: ':memory:' })
  const usage = { input: tokens, output: tokens, cached: tokens }
  const steps = [
    { text: 'One', usage },
    { text: 'Two', usage },
  ]
  const kit = createKit({ createId, store, agents, steps, ...options })
  const results = [await kit.run(), await kit.run()]
  const sums = await store.sumUsage({ ...range, limit: 10 })
  await store.close()
  return { results, sums }
}

it('a part of a token counts as a whole one', async () => {
  const { results, sums } = await runTwice(12.25)
  expect(results[1]?.usage).toEqual({ input_tokens: 13, output_tokens: 13, cached_input_tokens: 13 })
  expect(sums).toMatchObject([{ calls: 2, inputTokens: 26, outputTokens: 26, cachedInputTokens: 26 }])
})

it('tells what was read from a cache, written to it and thought, and counts it as input and output', async () => {
  const usage = { input: 1000, output: 90, cached: 600, cacheWrite: 300, reasoning: 70 }
  // a provider that counts what it caches apart
  const apart = { ...usage, input: 100 }
  const { results, sums } = await runTwice(0, {
    steps: [
      { text: 'One', usage },
      { text: 'Two', usage: apart },
    ],
  })
  const told = { cached_input_tokens: 600, cache_write_input_tokens: 300, reasoning_tokens: 70 }
  expect(results.map((result) => result.usage)).toEqual([
    { input_tokens: 1000, output_tokens: 90, ...told },
    { input_tokens: 900, output_tokens: 90, ...told },
  ])
  expect(sums).toMatchObject([{ cachedInputTokens: 1200, cacheWriteInputTokens: 600, reasoningTokens: 140 }])
})

for (const tokens of [0, Number.NaN, Number.POSITIVE_INFINITY, 1e21, -7]) {
  it(`a provider that tells of ${tokens} tokens has told nothing: they are estimated`, async () => {
    const { results, sums } = await runTwice(tokens)
    const { results: estimated } = await runTwice(0, {
      steps: [
        { text: 'One', usage: null },
        { text: 'Two', usage: null },
      ],
    })
    for (const [place, { success, error, usage }] of results.entries()) {
      expect([success, error]).toEqual([true, undefined])
      expect(usage).toEqual(estimated[place]?.usage)
    }
    expect(sums).toMatchObject([{ calls: 2, cachedInputTokens: 0 }])
  })
}

for (const estimate of [() => 7.5, () => Number.NaN]) {
  it(`counts whole tokens also with a host that estimates ${estimate()}`, async () => {
    const steps = [{ text: 'One', usage: null }]
    const kit = createKit({ store: createTestStore(), agents, steps, estimateTokens: estimate })
    const { success, usage } = await kit.run()
    expect(success).toBe(true)
    expect(Object.values(usage).every(Number.isSafeInteger)).toBe(true)
    expect(Math.min(usage.input_tokens, usage.output_tokens)).toBeGreaterThan(0)
  })
}
