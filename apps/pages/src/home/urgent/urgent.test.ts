import type { Agent, FailureCause, Run, UsageReport } from '@homeward/contract/agent-platform'
import type { Device } from '@homeward/contract/device-cloud'
import { describe, expect, it } from 'vitest'
import { budgetsNearEnd, monthStart } from './other-cards.tsx'
import { isOfGroup, timesToCountFrom, toFailureGroups } from './failure-groups.ts'
import { silentDevices } from './urgent-cards.tsx'

const now = Date.parse('2026-11-26T12:00:00.000Z')
const ago = (hours: number) => new Date(now - hours * 3_600_000).toISOString()

const cause = (changes: Partial<FailureCause>): FailureCause => ({
  agent_id: 'mailer',
  code: 'model_error',
  error: 'busy',
  count: 3,
  user_ids: [],
  users: 0,
  last_at: ago(1),
  run_id: 'r',
  ...changes,
})

describe('failures on Home', () => {
  const failed = (result: object, changes: Partial<Run> = {}) =>
    ({ id: 'a', agent_id: 'mailer', status: 'failed', result, ...changes }) as Run

  it('have the runs of their cause, whatever numbers and ids it names, and none that another run started', () => {
    const [group] = toFailureGroups([cause({ error: 'status 500 to request 4711abcdef' })])
    const run = { error: 'status 500 to request 0815abcdef', code: 'model_error' }
    expect(isOfGroup(group!, failed(run))).toBe(true)
    expect(isOfGroup(group!, failed({ ...run, error: 'the key is invalid' }))).toBe(false)
    expect(isOfGroup(group!, failed(run, { agent_id: 'writer' }))).toBe(false)
    expect(isOfGroup(group!, failed(run, { parent_run_id: 'p' }))).toBe(false)
  })

  it('are without what was handled or belongs to other runs, and begin with those that can be retried', () => {
    const budget = cause({ code: 'budget_exceeded', error: 'agent:a:user:bob', count: 90 })
    const causes = [budget, cause({ count: 5, parts: 2 }), cause({ agent_id: 'part', count: 4, parts: 4 })]
    const groups = toFailureGroups(causes)
    expect(groups.map(({ count }) => count)).toEqual([3, 90])
    const handled = { [groups[0]!.key]: ago(1) }
    expect(toFailureGroups(causes, handled).map(({ count }) => count)).toEqual([90])
  })

  it('that come up again after they were handled are counted from then on', () => {
    const busy = cause({ count: 80 })
    const { key } = toFailureGroups([busy])[0]!
    const handled = { [key]: ago(2) }
    expect(timesToCountFrom([busy], handled)).toEqual([ago(2)])
    expect(toFailureGroups([busy], handled, { [ago(2)]: [cause({ count: 1 })] })).toMatchObject([
      { count: 1 },
    ])
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
