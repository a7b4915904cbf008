import { describe, expect, it } from 'vitest'
import { createTestStore } from '../testing/create-test-store.ts'
import { agentOf, createKit, toolOf } from '../runs/testing/run-kit.ts'
import { createCrashStore } from '../runs/testing/crash-store.ts'
import { accountsOf, mergeAccounts } from './accounts.ts'
import { mostMicroUsdOf } from './prices.ts'

const prices = { 'scripted/main': { inputPerMillion: 1, outputPerMillion: 2 } }
const now = () => Date.UTC(2026, 10, 21)
/** One token for four characters, so that what a prompt takes is small here. */
const estimateTokens = (text: string) => Math.ceil(text.length / 4)

describe('budgets', () => {
  it('belong to the run, or to the calendar day or month in UTC', () => {
    const subject = { kind: 'agent', id: 'a' } as const
    const at = Date.UTC(2026, 10, 21, 23, 59)
    expect(accountsOf(subject, { max_tokens: 5 }, 'r', at)).toEqual([{ key: 'run:r', maxTokens: 5 }])
    expect(accountsOf(subject, { max_usd: 0.5, period: 'day' }, 'r', at)).toEqual([
      { key: 'agent:a:2026-11-21', maxMicroUsd: 500_000 },
    ])
    expect(accountsOf({ ...subject, kind: 'graph' }, { max_tokens: 1, period: 'month' }, 'r', at)).toEqual([
      { key: 'graph:a:2026-11', maxTokens: 1 },
    ])
    expect(accountsOf(subject, {}, 'r', at)).toEqual([])
    expect(mergeAccounts([{ key: 'k', maxTokens: 5 }], [{ key: 'k', maxTokens: 3, maxMicroUsd: 1 }])).toEqual(
      [{ key: 'k', maxTokens: 3, maxMicroUsd: 1 }],
    )
  })

  it('a call is made when it fits, its output capped, and counts what it really used', async () => {
    const kit = createKit({
      agents: [agentOf({ budget: { max_tokens: 1000 } })],
      estimateTokens,
      now,
      steps: [{ text: 'Yes', usage: { input: 100, output: 50 } }],
    })
    const { run_id } = await kit.run()
    expect(kit.model.calls[0]?.maxOutputTokens).toBeGreaterThan(100)
    expect(kit.model.calls[0]?.maxOutputTokens).toBeLessThan(1000)
    expect(await kit.store.readBudget(`run:${run_id}`)).toEqual({ tokens: 150, microUsd: 0 })
  })

  it('a call that does not fit is not made, and the run says which budget it was', async () => {
    const kit = createKit({
      agents: [agentOf({ budget: { max_tokens: 400, period: 'day' } })],
      estimateTokens,
      now,
      tools: [toolOf('a', () => 1)],
      steps: [{ toolCalls: [{ name: 'a' }], usage: { input: 300, output: 50 } }, { text: 'never' }],
    })
    const result = await kit.run()
    expect(result).toMatchObject({
      success: false,
      code: 'budget_exceeded',
      error: expect.stringContaining('agent:helper:2026-11-21'),
      steps: [{ tool: 'a', result: 1 }],
    })
    expect(kit.model.calls).toHaveLength(1)
  })

  it('a budget of each user stops the runs of one user, and of nobody else', async () => {
    const kit = createKit({
      agents: [agentOf({ user_budget: { max_tokens: 500 } })],
      estimateTokens,
      now,
      steps: Array.from({ length: 5 }, () => ({ text: 'Yes', usage: { input: 400, output: 100 } })),
    })
    const codeOf = async (user_id?: string) => (await kit.run('Do it', { ...(user_id && { user_id }) })).code
    expect(await codeOf('ann')).toBeUndefined()
    expect(await codeOf('ann')).toBe('budget_exceeded')
    expect([await codeOf('bob'), await codeOf(), await codeOf()]).toEqual([undefined, undefined, undefined])
    expect(await kit.store.readBudget('agent:helper:user:ann:2026-11-21')).toMatchObject({ tokens: 500 })
  })

  it('money needs a price: a call whose cost cannot be told is not made', async () => {
    const agents = [agentOf({ budget: { max_usd: 1 } })]
    const without = createKit({ agents, steps: [{ text: 'never' }] })
    expect(await without.run()).toMatchObject({ code: 'budget_unknown', success: false })
    expect(without.model.calls).toHaveLength(0)
    const kit = createKit({ agents, prices, steps: [{ text: 'Yes', usage: { input: 100, output: 50 } }] })
    const { run_id } = await kit.run()
    expect(await kit.store.readBudget(`run:${run_id}`)).toEqual({ tokens: 150, microUsd: 200 })
  })

  it('counts cached input at its own prices, and reserves the dearest', async () => {
    const price = { ...prices['scripted/main'], cachedInputPerMillion: 0.1, cacheWritePerMillion: 1.25 }
    const kit = createKit({
      agents: [agentOf({ budget: { max_usd: 1 } })],
      prices: { 'scripted/main': price },
      steps: [{ text: 'Yes', usage: { input: 1000, output: 50, cached: 600, cacheWrite: 300 } }],
    })
    const { run_id } = await kit.run()
    // 100 at 1, 600 at 0.1, 300 at 1.25 and 50 at 2 millionths of a dollar
    expect(await kit.store.readBudget(`run:${run_id}`)).toEqual({ tokens: 1050, microUsd: 635 })
    expect(mostMicroUsdOf(price, { input: 1000, output: 50 })).toBe(1350)
  })

  it('runs that race for the last of a budget never get more than there is', async () => {
    const store = createTestStore()
    const kit = createKit({
      store,
      agents: [agentOf({ budget: { max_tokens: 2000, period: 'day' } })],
      estimateTokens,
      now,
      steps: Array.from({ length: 20 }, () => ({ text: 'Yes', usage: { input: 100, output: 400 } })),
    })
    const results = await Promise.all(
      Array.from({ length: 20 }, () => kit.run('Do it', { limits: { max_tokens: 500 } })),
    )
    const codes = results.map(({ success, code }) => (success ? 'done' : code))
    expect(new Set(codes)).toEqual(new Set(['done', 'budget_exceeded']))
    expect((await store.readBudget('agent:helper:2026-11-21')).tokens).toBeLessThanOrEqual(2000)
    expect(codes.filter((code) => code === 'done').length).toBeLessThanOrEqual(4)
  })

  it('what a call cost that a crash cut off stays reserved in full', async () => {
    const store = createTestStore()
    const crash = createCrashStore(store, 4, 'before') // a look, the run, the reservation, the settlement
    const agents = [agentOf({ budget: { max_tokens: 5000, period: 'month' } })]
    const steps = [{ text: 'Yes', usage: { input: 10, output: 10 } }]
    const first = createKit({ store: crash.store, agents, estimateTokens, now, steps })
    const request = { agent_id: 'helper', task: 'x', idempotency_key: 'k', limits: { max_tokens: 100 } }
    void first.runs.start(request)
    await crash.gone
    const { tokens: reserved } = await store.readBudget('agent:helper:2026-11')
    expect(reserved).toBeGreaterThan(100)
    const second = createKit({ store, agents, estimateTokens, now: () => now() + 60_000, steps })
    const { result } = await second.runs.start(request)
    expect(await result).toMatchObject({ success: true })
    expect((await store.readBudget('agent:helper:2026-11')).tokens).toBe(reserved + 20)
  })

  it('agents that a run calls draw on its accounts, and on their own', async () => {
    const store = createTestStore()
    const agents = [
      agentOf({ budget: { max_tokens: 10_000 } }),
      agentOf({ id: 'other', budget: { max_tokens: 900, period: 'day' } }),
    ]
    const kit = createKit({
      store,
      agents,
      estimateTokens,
      now,
      tools: ({ id }) =>
        id === 'other'
          ? []
          : [
              toolOf('ask', async (_, { runId }) => {
                const child = await kit.runs.start(
                  { agent_id: 'other', task: 'x' },
                  { parentRunId: runId, depth: 1 },
                )
                return (await child.result).output
              }),
            ],
      steps: [
        { toolCalls: [{ name: 'ask' }], usage: { input: 100, output: 10 } },
        { text: 'child', usage: { input: 200, output: 20 } },
        { text: 'End', usage: { input: 300, output: 30 } },
      ],
    })
    const { run_id, success } = await kit.run()
    expect(success).toBe(true)
    expect((await store.readBudget(`run:${run_id}`)).tokens).toBe(660)
    expect((await store.readBudget('agent:other:2026-11-21')).tokens).toBe(220)
  })
})
