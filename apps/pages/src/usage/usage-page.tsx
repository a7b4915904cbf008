import type { UsageReport } from '@homeward/contract/agent-platform'
import { ChartColumn, Users } from 'lucide-react'
import { Fragment, Suspense, useMemo } from 'react'
import { Link } from 'react-aria-components'
import { useIsLimited } from '../api/server-facts.ts'
import { LinkButton } from '../components/buttons/link-button.tsx'
import { Card } from '../components/layout/card.tsx'
import { EmptyState } from '../components/states/empty-state.tsx'
import { FilterBar } from '../components/table/filter-bar.tsx'
import { lazyPart } from '../components/states/lazy-part.ts'
import { LoadingState } from '../components/states/loading-state.tsx'
import { PageHeader } from '../components/layout/page-header.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import { SelectField } from '../components/fields/select-field.tsx'
import { useAddressFilter } from '../components/use-address-filter.ts'
import { formatCount } from '../components/text/to-shown-text.ts'
import { useAgentNames } from '../components/agents/agent-filter.tsx'
import { toPriceForm } from './format-usage.ts'
import { AgentFilter } from '../components/agents/agent-filter.tsx'
import { BudgetCard } from './budget-card.tsx'
import { formatUsd } from './format-usage.ts'
import './usage.css'
import { type UsageGroup, type UsageMetric, toSeries, toTotal } from './usage-series.ts'
import { UsageTable } from './usage-table.tsx'
import { usageRanges, useUsage } from './use-usage.ts'

const UsagePlot = lazyPart(async () => (await import('./usage-plot.tsx')).default)

type Range = (typeof usageRanges)[number]['value']

const noFilter = { range: 'month', agent_id: '' }

/** What agents have used, over time. What is looked at stands in the address. */
export function UsagePage() {
  const [filter, change] = useAddressFilter(noFilter)
  const range = usageRanges.find(({ value }) => value === filter.range)?.value ?? 'month'
  const agentId = filter.agent_id || undefined
  const isLimited = useIsLimited()
  return (
    <>
      <PageHeader
        title="Usage"
        description="Cost and tokens of model calls, by agent and model, as far back as the journal goes."
        actions={
          agentId !== undefined &&
          !isLimited && (
            <LinkButton href={`/agents/${encodeURIComponent(agentId)}/users`} icon={<Users aria-hidden />}>
              Users of this agent
            </LinkButton>
          )
        }
      />
      <FilterBar>
        <SelectField
          label="Time"
          options={usageRanges}
          value={range}
          onChange={(chosen) => change({ range: chosen })}
        />
        <AgentFilter value={agentId} onChange={(id = '') => change({ agent_id: id })} />
      </FilterBar>
      <Usage range={range} agentId={agentId} />
    </>
  )
}

interface UsageProps {
  readonly range: Range
  readonly agentId: string | undefined
}

function Usage({ range, agentId }: UsageProps) {
  const [view] = useAddressFilter(initialView)
  const report = useUsage(range, {
    ...(agentId !== undefined && { agent_id: agentId }),
    ...(view.group === 'user' && { group: 'user' as const }),
  })
  return (
    <QueryView
      query={report}
      isEmpty={({ usage }) => usage.length === 0}
      empty={
        <EmptyState title="No model calls in this period" icon={<ChartColumn aria-hidden />}>
          Choose a longer period, or chat with an agent.
        </EmptyState>
      }
    >
      {(reply) => (
        <>
          <Totals report={reply} />
          <BudgetCard />
          <OverTime report={reply} />
        </>
      )}
    </QueryView>
  )
}

function Totals({ report }: { readonly report: UsageReport }) {
  const { calls, inputTokens, outputTokens, cachedTokens, costUsd, unpriced } = toTotal(report)
  return (
    <>
      <dl className="usage-totals">
        <Total name="Model calls" value={formatCount(calls)} />
        <Total name="Tokens in" value={formatCount(inputTokens)} />
        {cachedTokens > 0 && <Total name="Cached tokens in" value={formatCount(cachedTokens)} />}
        <Total name="Tokens out" value={formatCount(outputTokens)} />
        {costUsd !== undefined && <Total name="Cost" value={formatUsd(costUsd)} />}
      </dl>
      {unpriced.length > 0 && (
        <p className="muted small foreign">
          The cost of each call uses the price at that time. Not included, because these models had no price:{' '}
          {unpriced.slice(0, 5).map((model, index) => (
            <Fragment key={model}>
              {index > 0 && ', '}
              <Link href={toPriceForm(model)}>{model}</Link>
            </Fragment>
          ))}
          {unpriced.length > 5 && ` and ${unpriced.length - 5} more`}. Add a price to see the cost of later
          calls.
        </p>
      )}
    </>
  )
}

function Total({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div className="card">
      <dt>{name}</dt>
      <dd className="numeric">{value}</dd>
    </div>
  )
}

const metrics = [
  { value: 'tokens', label: 'Tokens' },
  { value: 'output', label: 'Tokens out' },
  { value: 'calls', label: 'Model calls' },
] as const
const dollars = { value: 'cost', label: 'US dollars' } as const
const groups = [
  { value: 'model', label: 'By model' },
  { value: 'agent', label: 'By agent' },
  { value: 'user', label: 'By user' },
] as const

const unnamed: Readonly<Record<UsageGroup, string>> = {
  model: 'unknown',
  agent: 'unknown',
  user: 'No user',
}

const initialView = { count: '', group: '' }

function OverTime({ report }: { readonly report: UsageReport }) {
  const [view, change] = useAddressFilter(initialView)
  const isLimited = useIsLimited()
  const hasPrices = report.usage.some(({ cost_usd }) => cost_usd !== undefined)
  const counts = hasPrices ? [...metrics, dollars] : metrics
  // What was chosen for another agent or time may have no prices here.
  const metric: UsageMetric =
    counts.find(({ value }) => value === view.count)?.value ?? (hasPrices ? 'cost' : 'tokens')
  const group: UsageGroup =
    groups.find(({ value }) => value === view.group)?.value ?? (metric === 'cost' ? 'agent' : 'model')
  const series = useMemo(() => toSeries(report, metric, group), [report, metric, group])
  const nameOf = useAgentNames()
  const labels = series.names.map((name) => (group === 'agent' ? nameOf(name) : name) || unnamed[group])
  const shown = { series, labels, metric, interval: report.interval }
  return (
    <Card
      title="Over time"
      actions={
        <>
          <SelectField<UsageMetric>
            label="Count"
            isLabelHidden
            options={counts}
            value={metric}
            onChange={(chosen) => change({ count: chosen })}
          />
          <SelectField<UsageGroup>
            label="Group"
            isLabelHidden
            options={isLimited ? groups.slice(0, 2) : groups}
            value={group}
            onChange={(chosen) => change({ group: chosen })}
          />
        </>
      }
    >
      <Suspense fallback={<LoadingState />}>
        <UsagePlot {...shown} />
      </Suspense>
      <UsageTable {...shown} />
    </Card>
  )
}
