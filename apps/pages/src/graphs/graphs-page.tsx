import type { Graph } from '@homeward/contract/agent-platform'
import { Plus, Workflow } from 'lucide-react'
import { usePlatformQuery } from '../api/platform.ts'
import type { DataColumn } from '../components/table/data-table.tsx'
import { EmptyState } from '../components/states/empty-state.tsx'
import { LinkButton } from '../components/buttons/link-button.tsx'
import { RelativeTime } from '../components/text/relative-time.tsx'
import { ListPage, toList } from '../components/table/list-page.tsx'

const columns: readonly DataColumn<Graph>[] = [
  { id: 'name', header: 'Graph', width: '2fr', cell: ({ id, name }) => name ?? id },
  {
    id: 'nodes',
    header: 'Nodes',
    width: 90,
    align: 'end',
    cell: ({ nodes }) => nodes.length,
    cardCell: ({ nodes }) => (nodes.length === 1 ? '1 node' : `${nodes.length} nodes`),
  },
  {
    id: 'schedule',
    header: 'Schedule',
    cell: ({ schedule, schedule_enabled: isOn }) =>
      schedule === undefined ? '' : isOn ? schedule : `${schedule} (off)`,
  },
  {
    id: 'changed',
    header: 'Changed',
    width: 140,
    isCardCorner: true,
    cell: (graph) => <RelativeTime value={graph.updated_at} />,
  },
]

const newGraph = (
  <LinkButton variant="primary" href="/graphs/_new" icon={<Plus aria-hidden />}>
    New graph
  </LinkButton>
)

/** All graphs. */
export function GraphsPage() {
  const query = usePlatformQuery('listGraphs')
  return (
    <ListPage
      title="Graphs"
      description="Several agents that work on one task, in an order that you draw."
      actions={newGraph}
      query={toList(query, ({ graphs }) => graphs)}
      columns={columns}
      cards="compact"
      rowText={({ id, name }) => name ?? id}
      rowHref={({ id }) => `/graphs/${id}`}
      empty={
        <EmptyState title="No graphs yet" icon={<Workflow aria-hidden />} action={newGraph}>
          Create a graph to pass the output of one agent to one or several others.
        </EmptyState>
      }
    />
  )
}
