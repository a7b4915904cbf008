import type { Agent, UsageReport } from '@homeward/contract/agent-platform'

/** A budget of which little is left. */
export interface SpentBudget {
  readonly agentId: string
  readonly period: 'day' | 'month'
  /** From 0.8 on; above 1 if it is used up. */
  readonly share: number
}

const nearEnd = 0.8

/** Begin of the calendar month in UTC, in which budgets count. */
export const monthStart = (nowMs: number): string => {
  const now = new Date(nowMs)
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)).toISOString()
}

/**
 * Budgets of a day or a month of which at least 80 % are used, the most used first.
 *
 * @param report what the month has used so far, by days
 */
export function budgetsNearEnd(
  agents: readonly Agent[],
  report: UsageReport,
  nowMs: number,
): readonly SpentBudget[] {
  const today = new Date(nowMs).toISOString().slice(0, 10)
  return agents
    .flatMap(({ id: agentId, budget }): SpentBudget[] => {
      const period = budget?.period
      if (!budget || (period !== 'day' && period !== 'month')) return []
      const sums = report.usage.filter(
        ({ agent_id, start }) => agent_id === agentId && (period === 'month' || start.startsWith(today)),
      )
      const tokens = sums.reduce((all, sum) => all + sum.input_tokens + sum.output_tokens, 0)
      const usd = sums.reduce((all, sum) => all + (sum.cost_usd ?? 0), 0)
      const share = Math.max(shareOf(tokens, budget.max_tokens), shareOf(usd, budget.max_usd))
      return share >= nearEnd ? [{ agentId, period, share }] : []
    })
    .toSorted((one, other) => other.share - one.share)
}

const shareOf = (used: number, limit: number | undefined) => (limit === undefined ? 0 : used / limit)
