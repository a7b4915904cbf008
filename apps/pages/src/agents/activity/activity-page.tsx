import { useMemo, useState } from 'react'
import { usePlatformPages, usePlatformQuery } from '../../api/platform.ts'
import { runsOf } from '../../api/rows-of.ts'
import { PageHeader } from '../../components/layout/page-header.tsx'
import { EmptyState } from '../../components/states/empty-state.tsx'
import { QueryView } from '../../components/states/query-view.tsx'
import { DataTable } from '../../components/table/data-table.tsx'
import { ListViews } from '../../components/views/list-views.tsx'
import { useAddressFilter } from '../../components/use-address-filter.ts'
import { useDebounced } from '../../components/use-debounced.ts'
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
import { ActivityTools } from './activity-tools.tsx'
import { activityViews, usualActivityViews } from './activity-views.ts'

/** All runs of agents and graphs. Filters and order stand in the address. */
export function ActivityPage() {
  const [filter, change] = useAddressFilter<ActivityFilter>(noActivityFilter)
  // The rows name agents, and read them from what the page has read.
  usePlatformQuery('listAgents')
  return (
    <>
      <PageHeader
        title="Activity"
        description="Each run of an agent or a graph: its task, its result, its time and its cost."
      />
      <ListViews
        path="/runs"
        usual={usualActivityViews}
        saved={activityViews}
        noFilter={noActivityFilter}
        filter={filter}
      />
      <ActivityFilters filter={filter} onChange={change} />
      <ActivityList filter={filter} onChange={change} />
    </>
  )
}

interface ActivityListProps {
  readonly filter: ActivityFilter
  readonly onChange: (changed: Partial<ActivityFilter>) => void
}

const none: ReadonlySet<string> = new Set()

function ActivityList({ filter, onChange }: ActivityListProps) {
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
    <QueryView query={runs}>
      {(rows) => (
        <>
          <ActivityTools
            rows={rows}
            hasMore={runs.loadMore !== undefined}
            selected={selected}
            onSelected={setSelected}
          />
          <DataTable
            label="Activity"
            columns={activityColumns}
            cards="compact"
            rows={rows}
            rowId={({ id }) => id}
            rowText={({ task }) => task.slice(0, 100)}
            rowHref={({ id }) => `/runs/${encodeURIComponent(id)}`}
            selection={{ selected, onChange: setSelected }}
            sort={toTableSort(sort)}
            onSort={(column) => onChange({ sort: nextSort(sort, column) })}
            onLoadMore={runs.loadMore}
            isLoadingMore={runs.isFetchingNextPage}
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
        </>
      )}
    </QueryView>
  )
}
