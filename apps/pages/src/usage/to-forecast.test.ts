import type { UsageSum } from '@homeward/contract/agent-platform'
import { expect, it } from 'vitest'
import { toBudgetForecasts, toForecast } from './to-forecast.ts'

const nowMs = Date.UTC(2026, 10, 16, 0)

function sumOf(changes: Partial<UsageSum>): UsageSum {
  return {
    start: '2026-11-10T00:00:00.000Z',
    agent_id: 'writer',
    model: 'acme/big',
    calls: 1,
    input_tokens: 10,
    output_tokens: 2,
    cached_input_tokens: 0,
    cache_write_input_tokens: 0,
    reasoning_tokens: 0,
    ...changes,
  }
}

it('forecasts a month at the pace so far, and nothing at its very beginning', () => {
  expect(toForecast(3, 'month', nowMs)).toBe(6)
  expect(toForecast(3, 'month', Date.UTC(2026, 10, 1, 1))).toBeUndefined()
})

it('holds the budgets of days and months against what their agents have used, the fullest first', () => {
  const agents = [
    { id: 'writer', budget: { max_usd: 10, period: 'month' as const } },
    { id: 'reader', budget: { max_tokens: 100, period: 'day' as const } },
    { id: 'other', budget: { max_usd: 1 } },
  ]
  const usage = [
    sumOf({ cost_usd: 4 }),
    sumOf({ agent_id: 'reader' }),
    sumOf({ agent_id: 'reader', start: '2026-11-16T00:00:00.000Z', input_tokens: 40 }),
  ]
  expect(toBudgetForecasts(agents, usage, nowMs + 12 * 3_600_000)).toEqual([
    { agentId: 'reader', period: 'day', unit: 'tokens', limit: 100, used: 42, forecast: 84 },
    {
      agentId: 'writer',
      period: 'month',
      unit: 'usd',
      limit: 10,
      used: 4,
      forecast: expect.closeTo(4 / (15.5 / 30)),
    },
  ])
})
