import {
  type Agent,
  type ListedWait,
  type Run,
  channelPlatforms,
  type ChannelId,
} from '@homeward/contract/agent-platform'
import { CircleCheck, Hand, MessageCircleQuestion } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-aria-components'
import { useCloudQuery } from '../../api/cloud.ts'
import { usePlatformQuery, usePlatformQueries } from '../../api/platform.ts'
import { useServerFacts } from '../../api/server-facts.ts'
import { ErrorState } from '../../components/states/error-state.tsx'
import { formatTime } from '../../components/text/relative-time.tsx'
import { useNow } from '../../components/text/use-now.ts'
import { useAskedPeople, useWaitingRuns } from '../../notices/notices.tsx'
import { untilNextRead } from '../../api/device-events.ts'
import { budgetsNearEnd, monthStart, type SpentBudget } from './other-cards.tsx'
import { FailureCard } from './failure-card.tsx'
import { endOf, timesToCountFrom, toFailureGroups, useHandledFailures } from './failure-groups.ts'
import { pulseStarts } from '../pulse/pulse-series.ts'
import { formatCount } from '../../components/text/to-shown-text.ts'
import { BudgetCard, NextSchedulesCard, nextSchedules, SilentDevicesCard } from './other-cards.tsx'
import './urgent.css'
import type { Device } from '@homeward/contract/device-cloud'
import { AgentName } from '../../components/agents/agent-filter.tsx'
import { ApprovalView } from '../../chat/approval-view.tsx'
import { WaitView } from '../../chat/wait-view.tsx'
import '../../chat/chat.css'
import { UrgentCard } from './urgent-card.tsx'
import { LinkButton } from '../../components/buttons/link-button.tsx'

const mostCards = 8
/** Further approvals stand on the page of the runs: they must not hide what is wrong. */
const mostApprovals = 3
const minuteMs = 60_000
const lastFailureQuery = { query: { status: 'failed', limit: '1' } } as const

/** What needs a person now, at most eight cards by urgency. Says so if nothing does. */
export function UrgentCards({ isQuietShown }: { readonly isQuietShown: boolean }) {
  const waiting = useWaitingRuns()
  const asked = useAskedPeople()
  const failed = useFailures()
  const agents = usePlatformQuery('listAgents').data?.agents
  const schedules = usePlatformQuery('listSchedules').data?.schedules ?? []
  const channels = useChannelDecisions()
  const silent = useSilentDevices()
  const budgets = useSpentBudgets(agents)
  const next = nextSchedules(schedules)

  const urgent: ReactNode[] = [
    ...waiting.runs.slice(0, mostApprovals).map((run) => <ApprovalCard key={run.id} run={run} />),
    ...asked.slice(0, mostApprovals).map((wait) => <WaitCard key={wait.id} wait={wait} />),
    ...channels.map((decision) => <ChannelDecisionCard key={decision.channel} decision={decision} />),
    ...failed.groups.map((group) => <FailureCard key={group.key} group={group} from={failed.from} />),
    ...(silent.length > 0 ? [<SilentDevicesCard key="silent" devices={silent} />] : []),
    ...budgets.map((budget) => <BudgetCard key={`budget ${budget.agentId}`} budget={budget} />),
  ]
  const shown = [
    ...urgent,
    ...(next.length > 0 ? [<NextSchedulesCard key="next" schedules={next} />] : []),
  ].slice(0, mostCards)
  const error = waiting.error ?? failed.error
  const isKnown = waiting.isKnown && failed.isKnown
  if (shown.length === 0 && !error && !isQuietShown) return null
  return (
    <section className="stack" aria-labelledby="urgent">
      <div className="row" data-justify="between">
        <h2 id="urgent">Needs attention</h2>
        {waiting.runs.length > mostApprovals && <Link href="/waiting">Show all that wait</Link>}
      </div>
      {error && <ErrorState error={error} isInline onRetry={() => void failed.refetch()} />}
      {isKnown && urgent.length === 0 && isQuietShown && <Quiet />}
      {shown}
      {urgent.length > mostCards && (
        <p className="muted small">
          {urgent.length === mostCards + 1
            ? '1 more is not shown here.'
            : `${urgent.length - mostCards} more are not shown here.`}{' '}
          {failed.groups.length > 0 && (
            <Link href="/runs?status=failed&range=day">Show all failed runs of the day</Link>
          )}
        </p>
      )}
      {failed.others > 0 && failed.groups.length > 0 && (
        <p className="muted small">
          {failed.others === 1
            ? '1 more failed run was'
            : `${formatCount(failed.others)} more failed runs were`}{' '}
          started again, or started by another run.
        </p>
      )}
    </section>
  )
}

/** Why runs of the day that the pulse shows failed, counted by the server. */
function useFailures() {
  const from = new Date(pulseStarts('day', useNow(minuteMs))[0]!).toISOString() // a day has a start
  const handled = useHandledFailures()
  const query = (since: string) =>
    ({ query: { status: 'failed', from: since, count: 'cause', limit: '1' } }) as const
  const { data, error, refetch } = usePlatformQuery('listRuns', query(from), { keepPrevious: true })
  const causes = data?.causes ?? []
  const times = timesToCountFrom(causes, handled)
  const since = usePlatformQueries('listRuns', times.map(query))
  const later = Object.fromEntries(times.map((time, place) => [time, since[place]?.causes ?? []]))
  const groups = toFailureGroups(causes, handled, later)
  const others = countOf(causes) - countOf(groups)
  return { from, groups, others, isKnown: data !== undefined, error, refetch }
}

const countOf = (causes: readonly { readonly count: number }[]) =>
  causes.reduce((sum, { count }) => sum + count, 0)

function Quiet() {
  const [lastFailure] = usePlatformQuery('listRuns', lastFailureQuery).data?.runs ?? []
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

const weekMs = 7 * 24 * 3_600_000

/** Devices that were heard from in the last seven days and are offline now, the last heard first. */
export function silentDevices(devices: readonly Device[], nowMs: number): readonly Device[] {
  const seenAt = ({ lastSeenAt }: Device) => Date.parse(lastSeenAt ?? '')
  return devices
    .filter((device) => device.status === 'offline' && seenAt(device) > nowMs - weekMs)
    .toSorted((one, other) => seenAt(other) - seenAt(one))
}

const longestTask = 300

/** A run that goes on only once a person has decided, with the decision. */
function ApprovalCard({ run }: { readonly run: Run }) {
  return (
    <UrgentCard
      icon={Hand}
      tone="warn"
      title={
        <>
          <Link href={`/runs/${encodeURIComponent(run.id)}`}>
            {run.graph_id ?? <AgentName id={run.agent_id} />}
          </Link>{' '}
          waits for your decision
        </>
      }
    >
      <p className="muted foreign">Task: {run.task.slice(0, longestTask)}</p>
      {run.approvals.filter(isPending).map(({ id, tool, args }) => (
        <ApprovalView key={id} part={{ kind: 'approval', id, runId: run.id, tool, args }} />
      ))}
    </UrgentCard>
  )
}

/** A question, a login or a budget that a run waits for, answered in place. */
function WaitCard({ wait }: { readonly wait: ListedWait }) {
  const { run_id: runId, agent_id: agentId, graph_id: graphId } = wait
  return (
    <UrgentCard
      icon={Hand}
      tone="warn"
      title={
        <>
          <Link href={`/runs/${encodeURIComponent(runId)}`}>{graphId ?? <AgentName id={agentId} />}</Link>{' '}
          waits for your answer
        </>
      }
    >
      <WaitView wait={wait} />
    </UrgentCard>
  )
}

/** Whether a person has still to decide. */
const isPending = ({ status }: Run['approvals'][number]) => status === 'pending'

/** What a channel needs a person for. */
interface ChannelDecision {
  readonly channel: ChannelId
  readonly platform: string
  /** Messages that may not have arrived. */
  readonly uncertain: number
  readonly failed: number
  /** People with a valid pairing code. */
  readonly waiting: number
}

const ids = Object.keys(channelPlatforms) as ChannelId[] // keys of the table
const inputs = ids.map((channel) => ({ params: { channel } }))

/** Channels that need a person, among those that are set up. */
function useChannelDecisions(): readonly ChannelDecision[] {
  const statuses = usePlatformQueries('getChannelStatus', inputs)
  const configured = ids.flatMap((channel, place) => {
    const status = statuses[place]
    return status?.configured === true ? [{ channel, status }] : []
  })
  const senders = usePlatformQueries(
    'listChannelSenders',
    configured.map(({ channel }) => ({ params: { channel } })),
  )
  return configured
    .map(({ channel, status: { platform, messages } }, place) => ({
      channel,
      platform,
      uncertain: messages.uncertain,
      failed: messages.failed,
      waiting: senders[place]?.senders.filter(({ code }) => code !== undefined).length ?? 0,
    }))
    .filter(({ uncertain, failed, waiting }) => uncertain + failed + waiting > 0)
}

/** What one channel needs a person for, and the way there. */
function ChannelDecisionCard({ decision }: { readonly decision: ChannelDecision }) {
  const { channel, platform, uncertain, failed, waiting } = decision
  return (
    <UrgentCard
      icon={MessageCircleQuestion}
      tone="warn"
      title={`${platform} needs a decision`}
      action={<LinkButton href={`/channels/${channel}`}>Open the channel</LinkButton>}
    >
      {uncertain > 0 && <p>{uncertain} messages may not have arrived.</p>}
      {failed > 0 && <p>{failed} messages did not arrive.</p>}
      {waiting > 0 && <p>Valid pairing codes: {waiting}.</p>}
    </UrgentCard>
  )
}
