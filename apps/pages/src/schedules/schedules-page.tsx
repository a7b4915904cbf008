import type { ScheduleState, JournalEvent, JsonObject } from '@homeward/contract/agent-platform'
import { CalendarClock } from 'lucide-react'
import { usePlatformQuery } from '../api/platform.ts'
import { Card } from '../components/layout/card.tsx'
import type { DataColumn } from '../components/table/data-table.tsx'
import { EmptyState } from '../components/states/empty-state.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import { RelativeTime } from '../components/text/relative-time.tsx'
import { StatusBadge } from '../components/states/status-badge.tsx'
import { AgentName } from '../components/agents/agent-filter.tsx'
import { formatInZone } from '../components/text/format-in-zone.ts'
import { NewSchedule } from './schedule-dialog.tsx'
import { useCloudQuery } from '../api/cloud.ts'
import { useServerFacts } from '../api/server-facts.ts'
import { describeSchedule } from '../components/schedule/schedule-draft.ts'
import { describeCron } from '../components/schedule/rhythm.ts'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from 'react-aria-components'
import { useLiveEvents } from '../api/live.ts'
import { refresh } from '../api/refresh.ts'
import './missed-fires.css'
import { ListPage, toList } from '../components/table/list-page.tsx'

/** A schedule in another zone names it. */
const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone

const subjectOf = ({ agent_id: agentId, graph_id: graphId }: ScheduleState) => agentId ?? graphId ?? ''

const columns: readonly DataColumn<ScheduleState>[] = [
  {
    id: 'subject',
    header: 'Runs',
    width: '4fr',
    minWidth: 210,
    isRowHeader: true,
    cell: (schedule) => (
      <span className="truncate">
        {schedule.name !== undefined && <strong>{schedule.name} </strong>}
        <span {...(schedule.name === undefined ? {} : { className: 'muted' })}>
          {schedule.graph_id ?? <AgentName id={schedule.agent_id} />}
        </span>
        {schedule.graph_id !== undefined && <span className="muted"> graph</span>}
      </span>
    ),
  },
  {
    id: 'schedule',
    header: 'Schedule',
    width: '3fr',
    minWidth: 230,
    cell: ({ schedule, timezone }) => (
      <span className="truncate" title={`${schedule} (${timezone})`}>
        {describeCron(schedule)}
        {timezone !== ownZone && <span className="muted"> {timezone}</span>}
      </span>
    ),
  },
  { id: 'next', header: 'Next', width: '2fr', minWidth: 150, isCardCorner: true, cell: describeNext },
  {
    id: 'last',
    header: 'Last',
    width: 130,
    cell: ({ last_fire }) => (last_fire === undefined ? '–' : <RelativeTime value={last_fire} />),
    cardCell: () => undefined,
  },
  { id: 'state', header: 'State', width: 90, cell: describeState },
]

function describeNext({ next_fire: next, timezone, error }: ScheduleState) {
  if (error !== undefined)
    return (
      <span className="field-error truncate" title={error}>
        {error}
      </span>
    )
  if (next === undefined) return <span className="muted">never</span>
  return <RelativeTime value={next} title={formatInZone(next, timezone)} timeZone={timezone} />
}

function describeState({ enabled, error }: ScheduleState) {
  if (error !== undefined) return <StatusBadge status="error" />
  return <StatusBadge status={enabled ? 'on' : 'off'} />
}

/** Schedules of agents and graphs, with their next times. */
export function SchedulesPage() {
  const query = usePlatformQuery('listSchedules', undefined, { refetchInterval: 30_000 })
  usePlatformQuery('listAgents') // the rows show their names
  const hasDevices = useServerFacts()?.serves.devices === true
  return (
    <ListPage
      title="Schedules"
      description="Times at which agents and graphs run automatically."
      actions={<NewSchedule />}
      query={toList(query, ({ schedules }) => schedules)}
      columns={columns}
      cards="compact"
      rowText={subjectOf}
      rowHref={({ id }) => `/schedules/${encodeURIComponent(id)}`}
      empty={
        <EmptyState title="No schedules yet" icon={<CalendarClock aria-hidden />}>
          Create a schedule, and its next times appear here.
        </EmptyState>
      }
    >
      {hasDevices && <ScheduledSearches />}
      <MissedFires />
    </ListPage>
  )
}

/** Saved searches that run automatically. */
function ScheduledSearches() {
  const { data } = useCloudQuery('listSavedSearches', { query: { limit: '200' } })
  const scheduled = data?.savedSearches.filter(({ schedule }) => schedule !== undefined) ?? []
  if (scheduled.length === 0) return null
  return (
    <Card title="Scheduled searches">
      <ul className="missed-fires">
        {scheduled.map(({ id, name, schedule, timezone, nextRunAt }) => (
          <li key={id} className="foreign">
            <Link href={`/searches/saved/${encodeURIComponent(id)}`}>{name}</Link>{' '}
            <span className="muted">
              {describeSchedule(schedule, timezone)}
              {nextRunAt !== undefined && (
                <>
                  , next{' '}
                  <RelativeTime
                    value={nextRunAt}
                    {...(timezone !== undefined && {
                      title: formatInZone(nextRunAt, timezone),
                      timeZone: timezone,
                    })}
                  />
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}

const types = ['schedule.missed']
const input = { query: { types: 'schedule.missed', limit: '100' } } as const
const pauseMs = 400

/** Times that made no run, newest first, and why. */
function MissedFires() {
  const queries = useQueryClient()
  const query = usePlatformQuery('listLogs', input)
  useLiveEvents({ types }, () => void refresh(queries, { queryKey: ['listLogs', input] }, pauseMs))
  const missed = query.data?.events.toReversed().flatMap((event) => toMissedFire(event) ?? []) ?? []
  if (query.data && missed.length === 0) return null
  return (
    <Card title="Recently skipped">
      <QueryView query={query}>
        {() => (
          <ul className="missed-fires">
            {missed.map((each) => (
              <MissedRow key={each.seq} missed={each} />
            ))}
          </ul>
        )}
      </QueryView>
    </Card>
  )
}

function MissedRow({
  missed: { subject, scheduledFor, timezone, count, reason },
}: {
  readonly missed: MissedFire
}) {
  const when = formatInZone(scheduledFor, timezone)
  return (
    <li>
      <Link href={`/${subject.kind}s/${encodeURIComponent(subject.id)}`}>{subject.id}</Link>
      <span className="numeric">{count > 1 ? `${count} times, the last ${when}` : when}</span>
      <span className="muted">{reason}</span>
    </li>
  )
}

/** A time of a schedule that made no run. */
interface MissedFire {
  readonly seq: number
  readonly subject: { readonly kind: 'agent' | 'graph'; readonly id: string }
  /** When it should have been; of several the last. */
  readonly scheduledFor: string
  readonly timezone: string
  readonly count: number
  readonly reason: string
}

const reasons: Readonly<Record<string, string>> = {
  not_running: 'The server was not running',
  overlap: 'The previous run had not ended',
}

/** Reads what the journal tells of a missed time (A9); undefined for an event of another form. */
export function toMissedFire({ seq, type, data }: JournalEvent): MissedFire | undefined {
  const subject = toSubject(data)
  const scheduledFor = data['scheduled_for']
  if (type !== 'schedule.missed' || subject === undefined || typeof scheduledFor !== 'string')
    return undefined
  const { reason, count, timezone } = data
  return {
    seq,
    subject,
    scheduledFor,
    timezone: typeof timezone === 'string' ? timezone : '',
    count: typeof count === 'number' ? count : 1,
    reason: (typeof reason === 'string' && reasons[reason]) || 'Skipped',
  }
}

function toSubject({ agent_id: agentId, graph_id: graphId }: JsonObject): MissedFire['subject'] | undefined {
  if (typeof agentId === 'string') return { kind: 'agent', id: agentId }
  return typeof graphId === 'string' ? { kind: 'graph', id: graphId } : undefined
}
