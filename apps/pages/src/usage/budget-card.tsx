import { Link } from 'react-aria-components'
import { usePlatformQuery } from '../api/platform.ts'
import { Card } from '../components/layout/card.tsx'
import { StatusBadge } from '../components/states/status-badge.tsx'
import { useNow } from '../components/text/use-now.ts'
import { formatCount } from '../components/text/to-shown-text.ts'
import { formatUsd } from './format-usage.ts'
import '../components/table/plain-table.css'
import { type BudgetForecast, periodOf, toBudgetForecasts, toForecast } from './to-forecast.ts'
import { toTotal } from './usage-series.ts'

const minuteMs = 60_000

/** This month so far, what it will come to, and the same for each budget of an agent. */
export function BudgetCard() {
  const nowMs = useNow(minuteMs)
  const from = new Date(periodOf('month', nowMs).startMs).toISOString()
  const report = usePlatformQuery(
    'getUsage',
    { query: { from, interval: 'day' } },
    { refetchInterval: minuteMs },
  )
  const agents = usePlatformQuery('listAgents').data?.agents ?? []
  if (!report.data) return null
  const { costUsd } = toTotal(report.data)
  const budgets = toBudgetForecasts(agents, report.data.usage, nowMs)
  if (costUsd === undefined && budgets.length === 0) return null
  const forecast = costUsd === undefined ? undefined : toForecast(costUsd, 'month', nowMs)
  const nameOf = (id: string) => agents.find((agent) => agent.id === id)?.name ?? id
  return (
    <Card title="Forecast">
      {costUsd !== undefined && (
        <p>
          This month (UTC): <strong className="numeric">{formatUsd(costUsd)}</strong> so far
          {forecast !== undefined && (
            <>
              , about <strong className="numeric">{formatUsd(forecast)}</strong> by its end at this pace
            </>
          )}
          .
        </p>
      )}
      {budgets.length === 0 ? (
        <p className="muted small">
          No agent has a budget for a day or a month. Set one at the agent, under Limits and budget.
        </p>
      ) : (
        <BudgetTable budgets={budgets} nameOf={nameOf} />
      )}
    </Card>
  )
}

interface BudgetTableProps {
  readonly budgets: readonly BudgetForecast[]
  readonly nameOf: (agentId: string) => string
}

function BudgetTable({ budgets, nameOf }: BudgetTableProps) {
  return (
    // Focusable, so that a keyboard can scroll it where it is wider than the page.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="plain-table-frame" role="region" aria-label="Budgets" tabIndex={0}>
      <table className="plain-table">
        <thead>
          <tr>
            <th scope="col">Agent</th>
            <th scope="col">Budget</th>
            <th scope="col" className="end">
              Used
            </th>
            <th scope="col" className="end">
              Forecast
            </th>
            <th scope="col">State</th>
          </tr>
        </thead>
        <tbody>
          {budgets.map((budget) => (
            <tr key={`${budget.agentId} ${budget.unit}`}>
              <th scope="row" className="foreign">
                <Link href={`/agents/${encodeURIComponent(budget.agentId)}`}>{nameOf(budget.agentId)}</Link>
              </th>
              <td>
                {amountText(budget, budget.limit)} per {budget.period}
              </td>
              <td className="end">
                {amountText(budget, budget.used)} ({Math.round((budget.used / budget.limit) * 100)} %)
              </td>
              <td className="end">
                {budget.forecast === undefined ? '–' : amountText(budget, budget.forecast)}
              </td>
              <td>
                <BudgetState budget={budget} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function amountText({ unit }: BudgetForecast, amount: number): string {
  return unit === 'usd' ? formatUsd(amount) : `${formatCount(Math.round(amount))} tokens`
}

function BudgetState({ budget: { used, limit, forecast = used } }: { readonly budget: BudgetForecast }) {
  if (used >= limit) return <StatusBadge status="failed">used up</StatusBadge>
  if (forecast > limit) return <StatusBadge status="pending">will be used up</StatusBadge>
  return <StatusBadge status="completed">enough</StatusBadge>
}
