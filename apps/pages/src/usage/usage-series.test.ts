import type { UsageReport, UsageSum } from '@homeward/contract/agent-platform'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { others, toSeries, toTotal } from './usage-series.ts'

function sumOf(changes: Partial<UsageSum> = {}): UsageSum {
  return {
    start: '2026-11-20T00:00:00.000Z',
    agent_id: 'writer',
    model: 'test/echo',
    calls: 1,
    input_tokens: 10,
    output_tokens: 2,
    cached_input_tokens: 0,
    cache_write_input_tokens: 0,
    reasoning_tokens: 0,
    ...changes,
  }
}

function reportOf(usage: readonly UsageSum[]): UsageReport {
  return {
    from: '2026-11-19T08:00:00.000Z',
    to: '2026-11-21T12:00:00.000Z',
    interval: 'day',
    usage: [...usage],
  }
}

describe('usage over time', () => {
  it('has a point for each day, also without a call', () => {
    const series = toSeries(reportOf([sumOf(), sumOf({ model: 'acme/big' })]), 'tokens', 'agent')
    expect(series).toEqual({
      names: ['writer'],
      points: [
        { start: '2026-11-19T00:00:00.000Z', values: [0] },
        { start: '2026-11-20T00:00:00.000Z', values: [24] },
        { start: '2026-11-21T00:00:00.000Z', values: [0] },
      ],
      totals: [24],
    })
  })

  it('shows the largest on their own, and the rest together', () => {
    const models = Array.from({ length: 9 }, (_, index) => sumOf({ model: `m${index}`, calls: index + 1 }))
    const series = toSeries(reportOf(models), 'calls', 'model')
    expect(series.names).toEqual(['m8', 'm7', 'm6', 'm5', 'm4', others])
    expect(series.totals).toEqual([9, 8, 7, 6, 5, 10])
  })

  it('loses nothing: the series together are the total', () => {
    const sums = fc.array(
      fc.record({
        start: fc.constantFrom(
          '2026-11-19T00:00:00.000Z',
          '2026-11-20T00:00:00.000Z',
          '2026-11-21T00:00:00.000Z',
        ),
        agent_id: fc.string({ maxLength: 3 }),
        model: fc.string({ maxLength: 3 }),
        calls: fc.nat(1000),
        input_tokens: fc.nat(1_000_000),
        output_tokens: fc.nat(1_000_000),
        cached_input_tokens: fc.nat(1000),
        cache_write_input_tokens: fc.nat(1000),
        reasoning_tokens: fc.nat(1000),
      }),
      { maxLength: 40 },
    )
    fc.assert(
      fc.property(sums, fc.constantFrom('agent' as const, 'model' as const), (usage, group) => {
        const report = reportOf(usage)
        const { points, totals } = toSeries(report, 'tokens', group)
        const { inputTokens, outputTokens } = toTotal(report)
        const drawn = points.flatMap(({ values }) => values).reduce((total, value) => total + value, 0)
        expect(drawn).toBe(inputTokens + outputTokens)
        expect(totals.reduce((total, value) => total + value, 0)).toBe(drawn)
      }),
    )
  })

  it('says nothing of money without a price, and names what has none', () => {
    expect(toTotal(reportOf([sumOf()])).costUsd).toBeUndefined()
    const priced = sumOf({ model: 'acme/big', cost_usd: 0.5 })
    const some = toTotal(reportOf([sumOf(), priced, sumOf({ model: 'acme/small', unpriced_calls: 1 })]))
    expect(some).toMatchObject({ costUsd: 0.5, unpriced: ['acme/small'] })
  })
})
