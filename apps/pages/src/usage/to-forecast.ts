import type { Agent, UsageSum } from '@homeward/contract/agent-platform'

const dayMs = 24 * 3_600_000
/** Before so much of a day or month is over, a forecast says nothing. */
const leastShare = 0.02

/** What has been used of a budget, and what will be by its end if it goes on like this. */
export interface BudgetForecast {
  readonly agentId: string
  readonly period: 'day' | 'month'
  readonly unit: 'usd' | 'tokens'
  readonly limit: number
  readonly used: number
  /** Undefined while too little of the time is over. */
  readonly forecast: number | undefined
}

/** Begin and end of the calendar day or month in UTC: as budgets count. */
export function periodOf(
  period: 'day' | 'month',
  nowMs: number,
): { readonly startMs: number; readonly endMs: number } {
  const now = new Date(nowMs)
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
  return period === 'day'
    ? { startMs: Date.UTC(year, month, day), endMs: Date.UTC(year, month, day) + dayMs }
    : { startMs: Date.UTC(year, month), endMs: Date.UTC(year, month + 1) }
}

/** What will have been used at the end, at the pace so far. */
export function toForecast(used: number, period: 'day' | 'month', nowMs: number): number | undefined {
  const { startMs, endMs } = periodOf(period, nowMs)
  const share = (nowMs - startMs) / (endMs - startMs)
  return share < leastShare ? undefined : used / share
}

/** The budgets of agents for a day or a month, by the usage of this month by days. The fullest comes first. */
export function toBudgetForecasts(
  agents: readonly Pick<Agent, 'id' | 'budget'>[],
  usage: readonly UsageSum[],
  nowMs: number,
): readonly BudgetForecast[] {
  return agents
    .flatMap(({ id, budget }) => {
      const period = budget?.period
      if (!budget || period === undefined || period === null || period === 'run') return []
      const { startMs } = periodOf(period, nowMs)
      const own = usage.filter(({ agent_id, start }) => agent_id === id && Date.parse(start) >= startMs)
      const sum = (value: (each: UsageSum) => number) => own.reduce((total, each) => total + value(each), 0)
      const row = (unit: BudgetForecast['unit'], limit: number, used: number): BudgetForecast => {
        return { agentId: id, period, unit, limit, used, forecast: toForecast(used, period, nowMs) }
      }
      return [
        ...(budget.max_usd
          ? [
              row(
                'usd',
                budget.max_usd,
                sum(({ cost_usd = 0 }) => cost_usd),
              ),
            ]
          : []),
        ...(budget.max_tokens
          ? [
              row(
                'tokens',
                budget.max_tokens,
                sum((each) => each.input_tokens + each.output_tokens),
              ),
            ]
          : []),
      ]
    })
    .toSorted((a, b) => (b.forecast ?? b.used) / b.limit - (a.forecast ?? a.used) / a.limit)
}
