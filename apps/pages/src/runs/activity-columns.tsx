import type { Run } from '@homeward/contract/agent-platform'
import { TriangleAlert } from 'lucide-react'
import { StatusBadge } from '../components/states/status-badge.tsx'
import type { DataColumn } from '../components/table/data-table.tsx'
import { RelativeTime } from '../components/text/relative-time.tsx'
import { AgentName } from '../components/agents/agent-filter.tsx'
import { formatCount, formatDuration } from '../components/text/to-shown-text.ts'
import { costText, failedTools, sourceOf, tokensOf, unpricedModel } from './run-texts.ts'

/** The columns of the list of runs. */
export const activityColumns: readonly DataColumn<Run>[] = [
  {
    id: 'task',
    header: 'Task',
    width: '3fr',
    minWidth: 150,
    isRowHeader: true,
    cell: ({ task }) => <span className="truncate foreign">{task.slice(0, 200)}</span>,
  },
  {
    id: 'who',
    header: 'Agent or graph',
    width: '2fr',
    minWidth: 136,
    cell: ({ agent_id, graph_id }) => (
      <span className="truncate foreign">{graph_id ?? <AgentName id={agent_id} />}</span>
    ),
  },
  { id: 'source', header: 'Source', width: 95, isHiddenInCards: true, cell: sourceOf },
  {
    id: 'status',
    header: 'Status',
    width: 150,
    isCardCorner: true,
    cell: (run) => (
      <>
        <StatusBadge status={run.status} /> <FailedTools count={failedTools(run)} />
      </>
    ),
  },
  {
    id: 'tokens',
    header: 'Tokens',
    width: 80,
    align: 'end',
    isHiddenInCards: true,
    cell: (run) => {
      const tokens = tokensOf(run)
      return tokens === undefined ? '–' : formatCount(tokens)
    },
  },
  {
    id: 'cost',
    header: 'Cost',
    width: 120,
    align: 'end',
    isSortable: true,
    cell: (run) => {
      const model = unpricedModel(run)
      return (
        <span {...(model !== undefined && { title: `No price was set for ${model}` })}>
          {costText(run) ?? '–'}
        </span>
      )
    },
    cardCell: costText,
  },
  {
    id: 'duration',
    header: 'Duration',
    width: 100,
    align: 'end',
    isSortable: true,
    cell: ({ duration_ms, finished_at }) =>
      duration_ms === undefined || finished_at === undefined ? '–' : formatDuration(duration_ms),
    cardCell: ({ duration_ms, finished_at }) =>
      duration_ms === undefined || finished_at === undefined ? undefined : formatDuration(duration_ms),
  },
  {
    id: 'time',
    header: 'Started',
    width: 120,
    isSortable: true,
    cell: ({ created_at }) => <RelativeTime value={created_at} />,
  },
]

/** Says of a run that went well otherwise that a tool did not work. */
function FailedTools({ count }: { readonly count: number }) {
  if (count === 0) return null
  const text = count === 1 ? '1 tool call failed' : `${count} tool calls failed`
  return (
    <span className="failed-tools" title={text}>
      <TriangleAlert width={16} height={16} role="img" aria-label={text} />
    </span>
  )
}
