import { type Run, RunStatus } from '@homeward/contract/agent-platform'
import { useSearchParams } from 'wouter'
import { usePlatformPages, usePlatformQuery } from '../../api/platform.ts'
import { runsOf } from '../../api/rows-of.ts'
import { Button } from '../../components/buttons/button.tsx'
import { type DataColumn, DataTable } from '../../components/table/data-table.tsx'
import { EmptyState } from '../../components/states/empty-state.tsx'
import { FilterBar } from '../../components/table/filter-bar.tsx'
import { Notice } from '../../components/states/notice.tsx'
import { PageHeader } from '../../components/layout/page-header.tsx'
import { QueryView } from '../../components/states/query-view.tsx'
import { RelativeTime } from '../../components/text/relative-time.tsx'
import { SelectField } from '../../components/fields/select-field.tsx'
import { StatusBadge } from '../../components/states/status-badge.tsx'
import { formatCount, formatDuration } from '../chat/to-shown-text.ts'
import { AgentName } from '../agents/agent-name.tsx'
import { AgentFilter } from './agent-filter.tsx'
import './runs.css'

const filterNames = ['agent_id', 'graph_id', 'status', 'conversation_id', 'parent_run_id'] as const
const any = '*'

/** All runs, the newest first. The filters stand in the address. */
export function RunsPage() {
  const [search, setSearch] = useSearchParams()
  const chosen = Object.fromEntries(
    filterNames.flatMap((name) => {
      const value = search.get(name)
      return value === null || value === '' ? [] : [[name, value]]
    }),
  ) as Partial<Record<(typeof filterNames)[number], string>>
  const change = (name: (typeof filterNames)[number], value: string | undefined) => {
    const { [name]: _, ...rest } = chosen
    setSearch({ ...rest, ...(value !== undefined && { [name]: value }) }, { replace: true })
  }
  return (
    <>
      <PageHeader
        title="Runs"
        description="Each time an agent or a graph worked: what it did, and what it used."
      />
      <FilterBar>
        <AgentFilter value={chosen.agent_id} onChange={(id) => change('agent_id', id)} />
        <GraphFilter value={chosen.graph_id} onChange={(id) => change('graph_id', id)} />
        <SelectField
          label="Status"
          options={statuses}
          value={chosen.status ?? any}
          onChange={(status) => change('status', status === any ? undefined : status)}
        />
      </FilterBar>
      {unseenFilters
        .filter(({ name }) => chosen[name] !== undefined)
        .map(({ name, text }) => (
          <Notice key={name} actions={<Button onPress={() => change(name, undefined)}>Show all runs</Button>}>
            {text}
          </Notice>
        ))}
      <RunList filter={toQuery(chosen)} />
    </>
  )
}

/** Filters that a link may bring along, and that have no field. */
const unseenFilters = [
  { name: 'conversation_id', text: 'Only the runs of one conversation are listed.' },
  { name: 'parent_run_id', text: 'Only the runs that another one asked for are listed.' },
] as const

const statuses = [
  { value: any, label: 'Any status' },
  ...RunStatus.options.map((status) => ({ value: status as string, label: status })),
]

/** A status that somebody wrote into the address may be none. */
function toQuery({ status, ...rest }: Partial<Record<(typeof filterNames)[number], string>>) {
  const known = RunStatus.options.find((each) => each === status)
  return { ...rest, ...(known !== undefined && { status: known }) }
}

function GraphFilter(props: {
  readonly value: string | undefined
  readonly onChange: (graphId: string | undefined) => void
}) {
  const graphs = usePlatformQuery('listGraphs').data?.graphs ?? []
  if (graphs.length === 0 && props.value === undefined) return null
  const ids = [
    ...new Set([...graphs.map(({ id }) => id), ...(props.value === undefined ? [] : [props.value])]),
  ]
  return (
    <SelectField
      label="Graph"
      options={[{ value: any, label: 'All graphs' }, ...ids.map((id) => ({ value: id, label: id }))]}
      value={props.value ?? any}
      onChange={(id) => props.onChange(id === any ? undefined : id)}
    />
  )
}

function RunList({ filter }: { readonly filter: ReturnType<typeof toQuery> }) {
  const query = usePlatformPages(
    'listRuns',
    { query: { ...filter, limit: '100' } },
    { select: runsOf, keepPrevious: true },
  )
  return (
    <QueryView query={query}>
      {(rows) => (
        <DataTable
          label="Runs"
          columns={columns}
          rows={rows}
          rowId={({ id }) => id}
          rowText={({ task }) => task.slice(0, 100)}
          rowHref={({ id }) => `/runs/${encodeURIComponent(id)}`}
          onLoadMore={query.loadMore}
          isLoadingMore={query.isFetchingNextPage}
          empty={
            Object.keys(filter).length === 0 ? (
              <EmptyState title="No agent has worked yet">Chat with one, or give it a task.</EmptyState>
            ) : (
              <EmptyState title="No run fits">Choose other filters.</EmptyState>
            )
          }
        />
      )}
    </QueryView>
  )
}

const columns: readonly DataColumn<Run>[] = [
  {
    id: 'task',
    header: 'Task',
    width: '3fr',
    minWidth: 180,
    isRowHeader: true,
    cell: ({ task }) => <span className="truncate foreign">{task.slice(0, 200)}</span>,
  },
  {
    id: 'who',
    header: 'Agent or graph',
    width: '1fr',
    minWidth: 110,
    cell: ({ agent_id, graph_id }) => (
      <span className="truncate foreign">{graph_id ?? <AgentName id={agent_id} />}</span>
    ),
  },
  { id: 'status', header: 'Status', width: 130, cell: ({ status }) => <StatusBadge status={status} /> },
  { id: 'tokens', header: 'Tokens', width: 110, align: 'end', cell: tokensOf },
  { id: 'took', header: 'Took', width: 100, align: 'end', cell: durationOf },
  { id: 'begun', header: 'Begun', width: 120, cell: ({ created_at }) => <RelativeTime value={created_at} /> },
]

function tokensOf({ result }: Run): string {
  if (result === undefined || !('usage' in result)) return '–'
  return formatCount(result.usage.input_tokens + result.usage.output_tokens)
}

function durationOf({ created_at, finished_at }: Run): string {
  return finished_at === undefined ? '–' : formatDuration(Date.parse(finished_at) - Date.parse(created_at))
}
