import { describe, expect, it } from 'vitest'
import { createTestStore } from '../testing/create-test-store.ts'
import type { NewJournalEvent } from '../store/ports/journal.ts'
import { createUsageReports } from './create-usages.ts'

const now = () => Date.UTC(2026, 10, 21, 12, 30)

function callAt(timestamp: string, data: NewJournalEvent['data'] = {}): NewJournalEvent {
  const used = { agent_id: 'writer', model: 'acme/big', input_tokens: 1000, output_tokens: 100 }
  return { type: 'model.completed', timestamp, runId: 'r1', data: { ...used, ...data } }
}

async function withCalls(...calls: readonly NewJournalEvent[]) {
  const store = createTestStore()
  await store.appendEvents(calls)
  return createUsageReports({ store, now })
}

describe('the usage report', () => {
  it('D19: sums up the last 30 days when nothing else is said, this very millisecond too, with what it cost when the calls were made', async () => {
    const usages = await withCalls(
      callAt('2026-10-22T12:30:00.000Z'),
      callAt('2026-10-22T12:30:00.001Z', { cost_usd: 0.0045 }),
      callAt('2026-11-21T09:00:00.000Z', { model: 'test/echo' }),
      callAt('2026-11-21T10:00:00.000Z'),
      callAt('2026-11-21T12:30:00.000Z', { cached_input_tokens: 7, cost_usd: 0.009 }),
    )
    const sum = {
      agent_id: 'writer',
      calls: 1,
      input_tokens: 1000,
      output_tokens: 100,
      cached_input_tokens: 0,
      cache_write_input_tokens: 0,
      reasoning_tokens: 0,
    }
    expect(await usages.report()).toEqual({
      from: '2026-10-22T12:30:00.001Z',
      to: '2026-11-21T12:30:00.001Z',
      interval: 'day',
      usage: [
        { ...sum, start: '2026-10-22T00:00:00.000Z', model: 'acme/big', cost_usd: 0.0045 },
        {
          start: '2026-11-21T00:00:00.000Z',
          agent_id: 'writer',
          model: 'acme/big',
          calls: 2,
          input_tokens: 2000,
          output_tokens: 200,
          cached_input_tokens: 7,
          cache_write_input_tokens: 0,
          reasoning_tokens: 0,
          cost_usd: 0.009,
          unpriced_calls: 1,
        },
        { ...sum, start: '2026-11-21T00:00:00.000Z', model: 'test/echo', unpriced_calls: 1 },
      ],
    })
  })

  it('D19: takes times with an offset, and gives them in UTC', async () => {
    const usages = await withCalls(callAt('2026-11-20T23:10:00.000Z'))
    const report = await usages.report({
      from: '2026-11-21T00:00:00+01:00',
      to: '2026-11-21T01:00:00+01:00',
      interval: 'hour',
    })
    expect(report).toMatchObject({ from: '2026-11-20T23:00:00.000Z', usage: [{ calls: 1 }] })
  })

  it.each([
    [{ from: 'yesterday' }, 'ISO 8601'],
    [{ to: '-271821-04-20T00:00:00.000Z' }, 'ISO 8601'],
    [{ from: '2026-11-22T00:00:00Z', to: '2026-11-21T00:00:00Z' }, '"from" must be earlier than "to"'],
    [{ from: '2026-01-01T00:00:00Z', interval: 'hour' as const }, 'at most 31 days'],
    [{ from: '2024-01-01T00:00:00Z' }, 'at most 366 days'],
  ])('D19: refuses %j', async (query, problem) => {
    const usages = await withCalls()
    await expect(usages.report(query)).rejects.toMatchObject({
      code: 'validation_error',
      message: expect.stringContaining(problem),
    })
  })

  it('D19: an answer that would be too large says what to ask for', async () => {
    const time = '2026-11-21T10:00:00.000Z'
    const calls = Array.from({ length: 10_001 }, (_, index) => callAt(time, { model: `acme/${index}` }))
    const usages = await withCalls(...calls)
    await expect(usages.report()).rejects.toThrow('more than 10000 rows')
    expect((await usages.report({ model: 'acme/7' })).usage).toHaveLength(1)
  })
})
