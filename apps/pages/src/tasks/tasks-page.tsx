import { type Task, TaskStatus } from '@homeward/contract/agent-platform'
import { ListTodo, Plus } from 'lucide-react'
import { useSearchParams } from 'wouter'
import { usePlatformQuery } from '../api/platform.ts'
import type { DataColumn } from '../components/table/data-table.tsx'
import { EmptyState } from '../components/states/empty-state.tsx'
import { FilterBar } from '../components/table/filter-bar.tsx'
import { LinkButton } from '../components/buttons/link-button.tsx'
import { RelativeTime } from '../components/text/relative-time.tsx'
import { SelectField } from '../components/fields/select-field.tsx'
import { StatusBadge } from '../components/states/status-badge.tsx'
import { AgentName } from '../components/agents/agent-filter.tsx'
import { type Worker, workerOf, workerOptions } from './task-draft.ts'
import './tasks.css'
import { useTaskList } from './use-task-list.ts'
import { ListPage } from '../components/table/list-page.tsx'
import { useAskedPeople, useWaitingRuns } from '../notices/notices.tsx'

/** A task, and whether its run waits for a person. */
interface TaskRow extends Task {
  readonly isWaiting: boolean
}

const failureColumn: DataColumn<TaskRow> = {
  id: 'failure',
  header: 'Why it failed',
  width: '2fr',
  cell: ({ failure }) => failure?.message ?? '–',
  cardCell: ({ failure }) => failure?.message,
}

const columns: readonly DataColumn<TaskRow>[] = [
  {
    id: 'status',
    header: 'Status',
    width: 150,
    isCardCorner: true,
    cell: ({ status, isWaiting }) =>
      isWaiting ? (
        <StatusBadge status="waiting">waiting for you</StatusBadge>
      ) : (
        <StatusBadge status={status} />
      ),
  },
  { id: 'input', header: 'Task', width: '3fr', isRowHeader: true, cell: ({ input }) => input },
  { id: 'worker', header: 'For', cell: (task) => task.graph_id ?? <AgentName id={task.agent_id} /> },
  {
    id: 'attempt',
    header: 'Attempt',
    width: 100,
    align: 'end',
    cell: ({ attempt, max_attempts: most }) => `${attempt} of ${most}`,
    cardCell: ({ attempt, max_attempts: most }) => `attempt ${attempt} of ${most}`,
  },
  { id: 'created', header: 'Created', width: 130, cell: (task) => <RelativeTime value={task.created_at} /> },
]

const newTask = (
  <LinkButton variant="primary" href="/tasks/new" icon={<Plus aria-hidden />}>
    New task
  </LinkButton>
)

/** Work in the background, as it goes on. */
export function TasksPage() {
  const [search] = useSearchParams()
  const parsed = TaskStatus.safeParse(search.get('status'))
  const status = parsed.success ? parsed.data : undefined
  const worker = { agentId: search.get('agent') ?? undefined, graphId: search.get('graph') ?? undefined }
  const query = useTaskList({ status, ...worker })
  const isFiltered = search.size > 0
  const waiting = useWaitingRunIds()
  const rows = query.data?.map((task) => ({ ...task, isWaiting: waiting.has(task.run_id ?? '') }))
  const shown = rows?.toSorted((one, other) => Number(other.isWaiting) - Number(one.isWaiting))
  const hasFailures = rows?.some(({ failure }) => failure !== undefined) === true
  return (
    <ListPage
      title="Tasks"
      description="Background work that survives restarts."
      actions={newTask}
      filters={<TaskFilters status={status} worker={worker} />}
      query={{ ...query, data: shown }}
      columns={hasFailures ? [...columns.slice(0, 3), failureColumn, ...columns.slice(3)] : columns}
      cards="compact"
      rowText={({ input }) => input.slice(0, 100)}
      rowHref={({ id }) => `/tasks/${encodeURIComponent(id)}`}
      empty={
        <EmptyState
          title={isFiltered ? 'No tasks match' : 'No tasks yet'}
          icon={<ListTodo aria-hidden />}
          action={isFiltered ? <LinkButton href="/tasks">Show all tasks</LinkButton> : newTask}
        >
          {isFiltered
            ? 'Choose another status or agent.'
            : 'Create a task. Schedules and channels also create tasks.'}
        </EmptyState>
      }
    />
  )
}

/** Runs that go on once a person has answered, each with the run that waits for it. */
function useWaitingRunIds(): ReadonlySet<string> {
  const { runs } = useWaitingRuns()
  const asked = useAskedPeople()
  const ids = runs.flatMap(({ id, parent_run_id: parent }) => (parent === undefined ? [id] : [id, parent]))
  return new Set([...ids, ...asked.map(({ run_id: id }) => id)])
}

const statusOptions = [
  { value: 'all', label: 'Any status' },
  ...TaskStatus.options.map((status) => ({ value: status, label: status })),
]

function TaskFilters({
  status,
  worker,
}: {
  readonly status: TaskStatus | undefined
  readonly worker: Worker
}) {
  const [, setSearch] = useSearchParams()
  const agents = usePlatformQuery('listAgents')
  const graphs = usePlatformQuery('listGraphs')
  const set = (name: string, value: string) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before)
        if (value === '') next.delete(name)
        else next.set(name, value)
        return next
      },
      { replace: true },
    )
  const setWorker = (chosen: string) => {
    const { agentId = '', graphId = '' } = workerOf(chosen)
    set('agent', agentId)
    set('graph', graphId)
  }
  const { options, value } = workerOptions(agents.data?.agents ?? [], graphs.data?.graphs ?? [], worker)
  return (
    <FilterBar>
      <SelectField
        label="Status"
        options={statusOptions}
        value={status ?? 'all'}
        onChange={(chosen) => set('status', chosen === 'all' ? '' : chosen)}
      />
      <SelectField
        label="For"
        options={[{ value: 'all', label: 'All agents and graphs' }, ...options]}
        value={value ?? 'all'}
        onChange={setWorker}
      />
    </FilterBar>
  )
}
