import type { ScheduleState } from '@homeward/contract/agent-platform'
import { CalendarClock } from 'lucide-react'
import { useLocation } from 'wouter'
import { usePlatformQuery } from '../../api/platform.ts'
import { Button } from '../../components/buttons/button.tsx'
import { Card } from '../../components/layout/card.tsx'
import { type DataColumn, DataTable } from '../../components/table/data-table.tsx'
import { EmptyState } from '../../components/states/empty-state.tsx'
import { PageHeader } from '../../components/layout/page-header.tsx'
import { QueryView } from '../../components/states/query-view.tsx'
import { RelativeTime } from '../../components/text/relative-time.tsx'
import { StatusBadge } from '../../components/states/status-badge.tsx'
import { AgentName } from '../agents/agent-name.tsx'
import { formatInZone } from '../agents/format-in-zone.ts'
import { MissedFires } from './missed-fires-list.tsx'

const subjectOf = ({ agent_id: agentId, graph_id: graphId }: ScheduleState) => agentId ?? graphId ?? ''

const columns: readonly DataColumn<ScheduleState>[] = [
  {
    id: 'subject',
    header: 'Runs',
    width: '2fr',
    minWidth: 130,
    isRowHeader: true,
    cell: (schedule) => (
      <span className="truncate">
        <strong>{schedule.graph_id ?? <AgentName id={schedule.agent_id} />}</strong>
        {schedule.graph_id !== undefined && <span className="muted"> graph</span>}
      </span>
    ),
  },
  {
    id: 'schedule',
    header: 'Schedule',
    width: '1fr',
    minWidth: 120,
    cell: ({ schedule }) => <span className="mono truncate">{schedule}</span>,
  },
  {
    id: 'timezone',
    header: 'Time zone',
    width: '1fr',
    minWidth: 120,
    cell: ({ timezone }) => <span className="truncate">{timezone}</span>,
  },
  { id: 'next', header: 'Next', width: '3fr', minWidth: 270, cardLines: 2, cell: describeNext },
  {
    id: 'last',
    header: 'Last',
    width: 130,
    cell: ({ last_fire }) => (last_fire === undefined ? '–' : <RelativeTime value={last_fire} />),
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
  return (
    <span className="truncate numeric" title={formatInZone(next, timezone)}>
      <RelativeTime value={next} /> <span className="muted">{formatInZone(next, timezone)}</span>
    </span>
  )
}

function describeState({ enabled, error }: ScheduleState) {
  if (error !== undefined) return <StatusBadge status="error" />
  return <StatusBadge status={enabled ? 'on' : 'off'} />
}

/** What runs by itself, and when. */
export function SchedulesPage() {
  const query = usePlatformQuery('listSchedules', undefined, { refetchInterval: 30_000 })
  const [, navigate] = useLocation()
  usePlatformQuery('listAgents') // the rows show their names
  return (
    <>
      <PageHeader
        title="Schedules"
        description="Agents and graphs that run by themselves. A schedule is set with its agent or graph."
      />
      <QueryView
        query={query}
        isEmpty={({ schedules }) => schedules.length === 0}
        empty={
          <EmptyState
            title="Nothing runs by itself"
            icon={<CalendarClock aria-hidden />}
            action={<Button onPress={() => navigate('/agents')}>Choose an agent</Button>}
          >
            Give an agent or a graph a schedule, and its times stand here.
          </EmptyState>
        }
      >
        {({ schedules }) => (
          <DataTable
            label="Schedules"
            columns={columns}
            rows={schedules}
            rowId={(schedule) =>
              `${schedule.agent_id === undefined ? 'graph' : 'agent'}:${subjectOf(schedule)}`
            }
            rowText={subjectOf}
            rowHref={({ agent_id, graph_id }) =>
              agent_id === undefined ? `/graphs/${graph_id}` : `/agents/${agent_id}`
            }
          />
        )}
      </QueryView>
      <Card title="Left out lately">
        <MissedFires />
      </Card>
    </>
  )
}
