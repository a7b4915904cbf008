import type { Agent } from '@homeward/contract/agent-platform'
import { Bot, Plus } from 'lucide-react'
import { usePlatformQuery } from '../api/platform.ts'
import type { DataColumn } from '../components/table/data-table.tsx'
import { EmptyState } from '../components/states/empty-state.tsx'
import { LinkButton } from '../components/buttons/link-button.tsx'
import { RelativeTime } from '../components/text/relative-time.tsx'
import { AgentMenu } from './agent-menu.tsx'
import { ListPage, toList } from '../components/table/list-page.tsx'

const newAgent = (
  <LinkButton variant="primary" href="/agents/_new" icon={<Plus aria-hidden />}>
    New agent
  </LinkButton>
)

const columns: readonly DataColumn<Agent>[] = [
  {
    id: 'name',
    header: 'Agent',
    width: '2fr',
    minWidth: 160,
    isRowHeader: true,
    cell: ({ id, name }) => (
      <span className="truncate">
        <strong>{name ?? id}</strong>
        {name !== undefined && name !== id && <span className="muted small mono"> {id}</span>}
      </span>
    ),
  },
  {
    id: 'model',
    header: 'Model',
    width: '2fr',
    minWidth: 140,
    cell: ({ model }) => <span className="mono truncate">{model}</span>,
  },
  {
    id: 'skills',
    header: 'Skills',
    width: '2fr',
    cell: ({ skills }) => <span className="truncate">{skills.join(', ') || '–'}</span>,
    cardCell: ({ skills }) => (skills.length > 0 ? skills.join(', ') : undefined),
  },
  { id: 'schedule', header: 'Schedule', width: '1fr', minWidth: 120, cell: describeSchedule },
  {
    id: 'updated',
    header: 'Changed',
    width: 120,
    isHiddenInCards: true,
    cell: ({ updated_at }) => <RelativeTime value={updated_at} />,
  },
  {
    id: 'actions',
    header: 'Actions',
    width: 90,
    align: 'end',
    isCardCorner: true,
    cell: (agent) => <AgentMenu agent={agent} />,
  },
]

function describeSchedule({ schedule, schedule_enabled }: Agent) {
  if (schedule === undefined) return <span className="muted">–</span>
  return (
    <span className="truncate">
      <span className="mono">{schedule}</span>
      {!schedule_enabled && <span className="muted"> (off)</span>}
    </span>
  )
}

/** All agents. */
export function AgentsPage() {
  const query = usePlatformQuery('listAgents')
  return (
    <ListPage
      title="Agents"
      description="Each agent has its own model, instructions, skills and tools."
      actions={newAgent}
      query={toList(query, ({ agents }) => agents)}
      columns={columns}
      cards="compact"
      rowText={({ id, name }) => name ?? id}
      rowHref={({ id }) => `/agents/${id}`}
      empty={
        <EmptyState title="No agents yet" icon={<Bot aria-hidden />} action={newAgent}>
          Create an agent. It needs only a model; the built-in model test/echo works without a key.
        </EmptyState>
      }
    />
  )
}
