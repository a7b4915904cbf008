import type { UsageSum } from '@homeward/contract/agent-platform'
import { expect, it } from 'vitest'
import { leftOf, periodOfUsers, toAgentUsers } from './agent-users.ts'

const sum = (user_id: string | undefined, input_tokens: number, cost_usd?: number): UsageSum => ({
  start: '2026-11-01T00:00:00.000Z',
  agent_id: 'house',
  ...(user_id !== undefined && { user_id }),
  model: 'test/echo',
  calls: 1,
  input_tokens,
  output_tokens: 10,
  cached_input_tokens: 0,
  cache_write_input_tokens: 0,
  reasoning_tokens: 0,
  ...(cost_usd !== undefined && { cost_usd }),
})

it('finds users in usage, runs and decisions, sums up their usage, and names them', () => {
  const users = toAgentUsers({
    usage: [sum('bob', 100, 0.5), sum(undefined, 900), sum('ann', 50), sum('bob', 30)],
    runs: [
      { user_id: 'cleo', created_at: '2026-11-03T00:00:00.000Z' },
      { created_at: '2026-11-02T00:00:00.000Z' },
      { user_id: 'cleo', created_at: '2026-11-01T00:00:00.000Z' },
    ],
    approvals: [{ user_id: 'dora' }, {}],
    senders: [
      { user_id: 'ann', name: 'Ann Example' },
      { user_id: 'stranger', name: 'Someone' },
    ],
  })
  expect(users).toEqual([
    {
      id: 'bob',
      calls: 2,
      inputTokens: 130,
      outputTokens: 20,
      costUsd: 0.5,
      names: [],
      lastRunAt: undefined,
    },
    {
      id: 'ann',
      calls: 1,
      inputTokens: 50,
      outputTokens: 10,
      costUsd: undefined,
      names: ['Ann Example'],
      lastRunAt: undefined,
    },
    expect.objectContaining({ id: 'cleo', calls: 0, lastRunAt: '2026-11-03T00:00:00.000Z' }),
    expect.objectContaining({ id: 'dora', calls: 0, lastRunAt: undefined }),
  ])
})

it('tells what is left of a budget, and never less than nothing', () => {
  const used = { calls: 1, inputTokens: 70, outputTokens: 20, costUsd: 3 }
  expect(leftOf({ user_budget: { max_tokens: 100 } }, used)).toBe('10 of 100 tokens')
  expect(leftOf({ user_budget: { max_tokens: 50, max_usd: 2 } }, used)).toMatch(
    /^0 of 50 tokens, \S*0\.00 of \S*2\.00$/,
  )
  expect(leftOf({}, used)).toBeUndefined()
})

it('counts by the day where a budget names no period, and by the month without a budget', () => {
  expect(periodOfUsers({ user_budget: { max_tokens: 100 } })).toBe('day')
  expect(periodOfUsers({ user_budget: { max_tokens: 100, period: 'month' } })).toBe('month')
  expect(periodOfUsers({})).toBe('month')
})
