import { useMemo, useState } from 'react'
import { usePlatformPages, usePlatformQuery } from '../api/platform.ts'
import { runsOf } from '../api/rows-of.ts'
import { EmptyState } from '../components/states/empty-state.tsx'
import { ListViews } from '../components/views/list-views.tsx'
import { useAddressFilter } from '../components/use-address-filter.ts'
import { useDebounced } from '../components/use-debounced.ts'
import './activity.css'
import { activityColumns } from './activity-columns.tsx'
import {
  type ActivityFilter,
  isNarrowed,
  nextSort,
  noActivityFilter,
  sortOf,
  toRunQuery,
  toTableSort,
} from './activity-filter.ts'
import { ActivityFilters } from './activity-filters.tsx'
import { createSavedViews, type SavedView } from '../components/views/saved-views.ts'
import type { Run } from '@homeward/contract/agent-platform'
import { Download, FlaskConical } from 'lucide-react'
import { Button } from '../components/buttons/button.tsx'
import { LinkButton } from '../components/buttons/link-button.tsx'
import { saveAs } from '../components/files/to-csv.ts'
import { toCsv } from '../components/files/to-csv.ts'
import { formatCount } from '../components/text/to-shown-text.ts'
import { formatRunCount, useRunCount } from '../api/use-run-count.ts'
import { formatUsd } from '../usage/format-usage.ts'
import { RunAgainMany } from './run-again.tsx'
import { exportColumns, hasEnded, toSummary } from './run-texts.ts'
import { ListPage } from '../components/table/list-page.tsx'

const none: ReadonlySet<string> = new Set()

/** All runs of agents and graphs. Filters and order stand in the address. */
export function ActivityPage() {
  const [filter, change] = useAddressFilter<ActivityFilter>(noActivityFilter)
  // The rows name agents, and read them from what the page has read.
  usePlatformQuery('listAgents')
  const settled = useDebounced(filter)
  // The begin of a range stays while the list is open: newer runs are in it anyway.
  const query = useMemo(() => toRunQuery(settled, Date.now()), [settled])
  const runs = usePlatformPages(
    'listRuns',
    { query: { ...query, limit: '200' } },
    { select: runsOf, keepPrevious: true },
  )
  const [selected, setSelected] = useState(none)
  const sort = sortOf(filter)
  return (
    <ListPage
      title="Activity"
      description="Each run of an agent or a graph: its task, its result, its time and its cost."
      filters={
        <>
          <ListViews
            path="/runs"
            usual={usualActivityViews}
            saved={activityViews}
            noFilter={noActivityFilter}
            filter={filter}
          />
          <ActivityFilters filter={filter} onChange={change} />
        </>
      }
      query={runs}
      above={(rows) => (
        <ActivityTools
          query={query}
          rows={rows}
          hasMore={runs.loadMore !== undefined}
          selected={selected}
          onSelected={setSelected}
        />
      )}
      columns={activityColumns}
      cards="compact"
      rowText={({ task }) => task.slice(0, 100)}
      rowHref={({ id }) => `/runs/${encodeURIComponent(id)}`}
      selection={{ selected, onChange: setSelected }}
      sort={toTableSort(sort)}
      onSort={(column) => change({ sort: nextSort(sort, column) })}
      empty={
        isNarrowed(filter) ? (
          <EmptyState title="No run matches these filters">Choose other filters.</EmptyState>
        ) : (
          <EmptyState title="No runs yet">
            Runs appear here once you chat with an agent, give it a task or schedule one.
          </EmptyState>
        )
      }
    />
  )
}

/** Views of the list of runs that were saved in this browser. */
const activityViews = createSavedViews('homeward-activity-views')

/** Views that everybody has. */
const usualActivityViews: readonly SavedView[] = [
  { name: 'All', search: '' },
  { name: 'Failed, last 24 hours', search: 'status=failed&range=day' },
  { name: 'Waiting for a person', search: 'status=waiting' },
  { name: 'Good answers', search: 'feedback=up' },
  { name: 'Bad answers', search: 'feedback=down' },
  { name: 'Highest cost, last 7 days', search: 'range=week&sort=-cost' },
]

/** Plays the chosen runs with a changed agent, where all are of one. */
function WhatIfLink({ chosen }: { readonly chosen: readonly Run[] }) {
  const agentId = chosen[0]?.agent_id
  const isOfOne = agentId !== undefined && chosen.every((run) => run.agent_id === agentId)
  if (!isOfOne || chosen.length > mostPlayed || !chosen.every(hasEnded)) return null
  const ids = chosen.map(({ id }) => id).join(',')
  return (
    <LinkButton
      href={`/agents/${agentId}/what-if?runs=${encodeURIComponent(ids)}`}
      icon={<FlaskConical aria-hidden />}
    >
      Try with a change
    </LinkButton>
  )
}

/** So many runs can be named at once. */
const mostPlayed = 200

/** What {@link ActivityTools} take. */
interface ActivityToolsProps {
  readonly query: ReturnType<typeof toRunQuery>
  /** The rows that were loaded. */
  readonly rows: readonly Run[]
  /** Whether the server has more of them. */
  readonly hasMore: boolean
  readonly selected: ReadonlySet<string>
  readonly onSelected: (selected: ReadonlySet<string>) => void
}

/** What the loaded runs are together, and what can be done with them. */
function ActivityTools({ query, rows, hasMore, selected, onSelected }: ActivityToolsProps) {
  const { sort: _, ...filter } = query
  const counted = useRunCount(filter)
  const countedFailed = useRunCount({ ...filter, status: 'failed' }, filter.status === undefined)
  const { count, failed, costUsd } = toSummary(rows)
  const chosen = rows.filter(({ id }) => selected.has(id))
  if (count === 0) return null
  return (
    <div className="activity-tools">
      <p className="muted small numeric" role="status">
        {counted ? formatRunCount(counted) : formatCount(count)}{' '}
        {(counted?.count ?? count) === 1 ? 'run' : 'runs'}
        {filter.status === undefined &&
          ` · ${countedFailed ? formatRunCount(countedFailed) : formatCount(failed)} failed`}
        {costUsd !== undefined && !hasMore && ` · ${formatUsd(costUsd)}`}
      </p>
      <div className="row">
        <WhatIfLink chosen={chosen} />
        {chosen.length > 0 && <RunAgainMany runs={chosen} onDone={() => onSelected(new Set())} />}
        <Button
          icon={<Download aria-hidden />}
          onPress={() => saveAs(new Blob([toCsv(exportColumns, rows)], { type: 'text/csv' }), 'activity.csv')}
        >
          Export as CSV
        </Button>
      </div>
    </div>
  )
}
