import type { Agent, Run, UsageReport } from '@homeward/contract/agent-platform'
import type { Device } from '@homeward/contract/device-cloud'
import { describe, expect, it } from 'vitest'
import { budgetsNearEnd, monthStart } from './other-cards.tsx'
import { groupFailures } from './failure-groups.ts'
import { silentDevices } from './urgent-cards.tsx'

const now = Date.parse('2026-11-26T12:00:00.000Z')
const ago = (hours: number) => new Date(now - hours * 3_600_000).toISOString()

function failed(id: string, error: string, changes: Partial<Run> = {}): Run {
  const result = { error, code: 'model_error' } as Run['result']
  return {
    id,
    agent_id: 'mailer',
    task: 'Write',
    source: 'chat',
    status: 'failed',
    created_at: ago(1),
    waits: [],
    approvals: [],
    result,
    ...changes,
  }
}

describe('failures on Home', () => {
  it('are one group for each agent and cause, whatever numbers and ids the cause names', () => {
    const groups = groupFailures(
      [
        failed('a', 'the provider replied with status 500 to request 4711abcdef', { created_at: ago(3) }),
        failed('b', 'the provider replied with status 500 to request 0815abcdef', {
          cost: { amount: 0.25, currency: 'USD' },
        }),
        failed('c', 'the key is invalid'),
        failed('d', 'the key is invalid', { agent_id: 'writer' }),
      ],
      now,
    )
    expect(groups.map(({ runs }) => runs.map(({ id }) => id))).toEqual([['b', 'a'], ['c'], ['d']])
    expect(groups[0]).toMatchObject({ agentId: 'mailer', lastAt: ago(1), costUsd: 0.25 })
    expect(groups[1]?.costUsd).toBeUndefined()
  })

  it('of budgets are one group for an agent, whoever used it up', () => {
    const used = (key: string) => `the rest of the budget ${key} is too small for another call`
    const groups = groupFailures(
      [
        failed('a', used('agent:mailer:user:ann:2026-11-26'), { user_id: 'ann' }),
        failed('b', used('agent:mailer:user:bob:2026-11-26'), { user_id: 'bob' }),
      ],
      now,
    )
    expect(groups).toMatchObject([{ cause: 'the rest of the budget is too small for another call' }])
  })

  it('leave out what is older than a day, was handled, ran again, or belongs to another run', () => {
    const key = groupFailures([failed('x', 'busy')], now)[0]!.key
    const runs = [
      failed('old', 'busy', { created_at: ago(25) }),
      failed('handled', 'busy', { created_at: ago(2) }),
      failed('child', 'busy', { parent_run_id: 'p' }),
      failed('first', 'other'),
      failed('second', 'other', { rerun_of: 'first' }),
    ]
    const groups = groupFailures(runs, now, { [key]: ago(1.5) })
    expect(groups.map(({ runs }) => runs.map(({ id }) => id))).toEqual([['second']])
  })
})

it('budgets count from 80 % on, each in its own period', () => {
  const agents = [
    { id: 'daily', budget: { max_tokens: 100, period: 'day' } },
    { id: 'monthly', budget: { max_usd: 2, period: 'month' } },
    { id: 'single', budget: { max_tokens: 1, period: 'run' } },
  ] as unknown as Agent[]
  const sum = (agent_id: string, start: string, tokens: number, cost_usd: number) => ({
    agent_id,
    start,
    input_tokens: tokens,
    output_tokens: 0,
    cost_usd,
  })
  const report = {
    usage: [
      sum('daily', '2026-11-26T00:00:00.000Z', 79, 0),
      sum('daily', '2026-11-25T00:00:00.000Z', 500, 0),
      sum('monthly', '2026-11-02T00:00:00.000Z', 1, 1.8),
      sum('single', '2026-11-26T00:00:00.000Z', 9, 0),
    ],
  } as unknown as UsageReport
  expect(budgetsNearEnd(agents, report, now)).toEqual([{ agentId: 'monthly', period: 'month', share: 0.9 }])
  expect(monthStart(now)).toBe('2026-11-01T00:00:00.000Z')
})

it('a device is silent if it was heard from this week and is offline', () => {
  const device = (id: string, status: Device['status'], lastSeenAt: string | null) =>
    ({ id, status, lastSeenAt }) as Device
  const devices = [
    device('on', 'online', ago(0)),
    device('earlier', 'offline', ago(30)),
    device('lately', 'offline', ago(2)),
    device('never', 'offline', null),
    device('long ago', 'offline', ago(200)),
  ]
  expect(silentDevices(devices, now).map(({ id }) => id)).toEqual(['lately', 'earlier'])
})
