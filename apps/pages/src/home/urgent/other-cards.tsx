import type { ScheduleState, Agent, UsageReport } from '@homeward/contract/agent-platform'
import type { Device } from '@homeward/contract/device-cloud'
import { CalendarClock, MonitorOff, Wallet } from 'lucide-react'
import { AgentName } from '../../components/agents/agent-filter.tsx'
import { LinkButton } from '../../components/buttons/link-button.tsx'
import { formatInZone } from '../../components/text/format-in-zone.ts'
import { RelativeTime } from '../../components/text/relative-time.tsx'
import { UrgentCard } from './urgent-card.tsx'

const mostNamed = 3
const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 0 })

/** Devices that stopped sending heartbeats. */
export function SilentDevicesCard({ devices }: { readonly devices: readonly Device[] }) {
  const [first, ...others] = devices
  if (!first) return null
  const isOne = others.length === 0
  return (
    <UrgentCard
      icon={MonitorOff}
      tone="warn"
      title={isOne ? `${first.name} is silent` : `${devices.length} devices went silent this week`}
      action={
        isOne ? (
          <LinkButton href={`/devices/${encodeURIComponent(first.id)}`}>Open the device</LinkButton>
        ) : (
          <LinkButton href="/devices?status=offline">Open the devices</LinkButton>
        )
      }
    >
      <p className="muted foreign">
        {devices.slice(0, mostNamed).map(({ id, name, lastSeenAt }, place) => (
          <span key={id}>
            {place > 0 && ', '}
            {!isOne && `${name}: `}
            last heartbeat <RelativeTime value={lastSeenAt ?? ''} />
          </span>
        ))}
        {devices.length > mostNamed && ', and others'}.
      </p>
    </UrgentCard>
  )
}

/** A budget of which little or nothing is left. */
export function BudgetCard({ budget: { agentId, period, share } }: { readonly budget: SpentBudget }) {
  return (
    <UrgentCard
      icon={Wallet}
      tone={share >= 1 ? 'bad' : 'warn'}
      title={
        <>
          The budget of <AgentName id={agentId} /> is {share >= 1 ? 'used up' : 'nearly used up'}
        </>
      }
      action={<LinkButton href={`/agents/${encodeURIComponent(agentId)}`}>Open the agent</LinkButton>}
    >
      <p className="muted">
        {percent.format(share)} of this {period}&apos;s budget is used. Days and months are those of UTC.
      </p>
    </UrgentCard>
  )
}

/** What runs by itself next. */
export function NextSchedulesCard({ schedules }: { readonly schedules: readonly ScheduleState[] }) {
  return (
    <UrgentCard
      icon={CalendarClock}
      title="Next automations"
      action={<LinkButton href="/schedules">Open the schedules</LinkButton>}
    >
      <ul className="stack plain-list" data-gap="small">
        {schedules.map(({ id, name, agent_id: agent, graph_id: graph, next_fire: at = '', timezone }) => (
          <li key={id} className="foreign">
            {name ?? graph ?? <AgentName id={agent} />}{' '}
            <RelativeTime value={at} title={formatInZone(at, timezone)} timeZone={timezone} />
          </li>
        ))}
      </ul>
    </UrgentCard>
  )
}

/** The schedules whose time comes next, at most three. */
export function nextSchedules(schedules: readonly ScheduleState[]): readonly ScheduleState[] {
  return schedules
    .filter(({ next_fire: at }) => at !== undefined)
    .toSorted((one, other) => Date.parse(one.next_fire ?? '') - Date.parse(other.next_fire ?? ''))
    .slice(0, mostNamed)
}

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
