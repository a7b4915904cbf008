import type { Agent, Run } from '@homeward/contract/agent-platform'
import { CircleCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-aria-components'
import { useCloudQuery } from '../../api/cloud.ts'
import { usePlatformQuery } from '../../api/platform.ts'
import { useServerFacts } from '../../api/server-facts.ts'
import { ErrorState } from '../../components/states/error-state.tsx'
import { formatTime } from '../../components/text/relative-time.tsx'
import { useNow } from '../../components/text/use-now.ts'
import { useWaitingRuns } from '../../shell/notices/use-waiting-runs.ts'
import { untilNextRead } from '../../devices/device-events.ts'
import { ApprovalCard } from './approval-card.tsx'
import { budgetsNearEnd, monthStart, type SpentBudget } from './budgets-near-end.ts'
import { ChannelDecisionCard, useChannelDecisions } from './channel-decisions.tsx'
import { FailureCard } from './failure-card.tsx'
import { endOf, groupFailures } from './failure-groups.ts'
import { useHandledFailures } from './handled-failures.ts'
import { BudgetCard, NextSchedulesCard, nextSchedules, SilentDevicesCard } from './other-cards.tsx'
import { silentDevices } from './silent-devices.ts'
import './urgent.css'

const mostCards = 5
/** Further approvals stand on the page of the runs: they must not hide what is wrong. */
const mostApprovals = 3
const minuteMs = 60_000
const failedQuery = { query: { status: 'failed', limit: '100' } } as const

/** What needs a person now, at most five cards by urgency. Says so if nothing does. */
export function UrgentCards({ isQuietShown }: { readonly isQuietShown: boolean }) {
  const waiting = useWaitingRuns()
  const failed = usePlatformQuery('listRuns', failedQuery)
  const agents = usePlatformQuery('listAgents').data?.agents
  const schedules = usePlatformQuery('listSchedules').data?.schedules ?? []
  const channels = useChannelDecisions()
  const silent = useSilentDevices()
  const budgets = useSpentBudgets(agents)
  const handled = useHandledFailures()
  const now = useNow(minuteMs)
  const failures = groupFailures(failed.data?.runs ?? [], now, handled)
  const next = nextSchedules(schedules)

  const urgent: ReactNode[] = [
    ...waiting.runs.slice(0, mostApprovals).map((run) => <ApprovalCard key={run.id} run={run} />),
    ...channels.map((decision) => <ChannelDecisionCard key={decision.channel} decision={decision} />),
    ...failures.map((group) => <FailureCard key={group.key} group={group} />),
    ...(silent.length > 0 ? [<SilentDevicesCard key="silent" devices={silent} />] : []),
    ...budgets.map((budget) => <BudgetCard key={`budget ${budget.agentId}`} budget={budget} />),
  ]
  const shown = [
    ...urgent,
    ...(next.length > 0 ? [<NextSchedulesCard key="next" schedules={next} />] : []),
  ].slice(0, mostCards)
  const error = waiting.error ?? failed.error
  const isKnown = waiting.isKnown && failed.data !== undefined
  if (shown.length === 0 && !error && !isQuietShown) return null
  return (
    <section className="stack" aria-labelledby="urgent">
      <div className="row" data-justify="between">
        <h2 id="urgent">Needs attention</h2>
        {waiting.runs.length > mostApprovals && (
          <Link href="/runs?status=waiting">All {waiting.runs.length} that wait</Link>
        )}
      </div>
      {error && <ErrorState error={error} isInline onRetry={() => void failed.refetch()} />}
      {isKnown && urgent.length === 0 && isQuietShown && <Quiet lastFailure={failed.data?.runs[0]} />}
      {shown}
    </section>
  )
}

function Quiet({ lastFailure }: { readonly lastFailure: Run | undefined }) {
  return (
    <p className="urgent-quiet" role="status">
      <CircleCheck aria-hidden />
      {lastFailure ? `All quiet since ${formatTime(endOf(lastFailure))}` : 'All quiet. No run has failed.'}
    </p>
  )
}

function useSilentDevices() {
  const isServed = useServerFacts()?.serves.devices === true
  const now = useNow(minuteMs)
  const { data } = useCloudQuery(
    'listDevices',
    { query: { status: 'offline', limit: '200' } },
    { enabled: isServed, refetchInterval: () => untilNextRead(minuteMs / 2) },
  )
  return silentDevices(data?.devices ?? [], now)
}

function useSpentBudgets(agents: readonly Agent[] | undefined): readonly SpentBudget[] {
  const now = useNow(minuteMs)
  const hasBudgets = agents?.some(({ budget }) => budget?.period === 'day' || budget?.period === 'month')
  const { data } = usePlatformQuery(
    'getUsage',
    { query: { from: monthStart(now), interval: 'day' } },
    { enabled: hasBudgets === true, refetchInterval: minuteMs },
  )
  return agents && data ? budgetsNearEnd(agents, data, now) : []
}
