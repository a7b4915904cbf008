import type { SearchGroup } from '@homeward/contract/device-cloud'
import { useEffect, useMemo } from 'react'
import { EmptyState } from '../../components/states/empty-state.tsx'
import { QueryView } from '../../components/states/query-view.tsx'
import { type DataColumn, DataTable } from '../../components/table/data-table.tsx'
import { RelativeTime } from '../../components/text/relative-time.tsx'
import { describeFilter, describeGroup } from './describe-group.ts'
import { type GroupFilter, isNarrowed, pickGroups } from './pick-groups.ts'
import { hrefOfGroup } from './search-draft.ts'
import { useSearchGroups } from './use-search-group.ts'

const columns: readonly DataColumn<SearchGroup>[] = [
  { id: 'query', header: 'Search', cell: ({ query }) => query, width: '3fr', minWidth: 140 },
  {
    id: 'answers',
    header: 'Answers',
    cell: (group) => <span title={describeGroup(group)}>{describeGroup(group)}</span>,
    width: '3fr',
    minWidth: 200,
  },
  {
    id: 'devices',
    header: 'Devices',
    cell: ({ filter }) => (filter ? describeFilter(filter) : 'chosen devices'),
    width: '2fr',
    minWidth: 120,
    isHiddenInCards: true,
  },
  { id: 'scope', header: 'In', cell: ({ scope }) => scope.join(', '), width: '1fr', isHiddenInCards: true },
  {
    id: 'created',
    header: 'Asked',
    cell: ({ createdAt }) => <RelativeTime value={createdAt} />,
    width: 120,
    isCardCorner: true,
  },
]
const idOf = ({ id }: SearchGroup) => id
const textOf = ({ query }: SearchGroup) => query
const hrefOf = ({ id }: SearchGroup) => hrefOfGroup(id)

/** So many searches are looked through for a filter without a press on a button. */
const maxLookedThrough = 2000
/** So many rows fill a page. */
const enough = 50

/** Searches, newest first, one row each, however many devices were searched. */
export function GroupList({ filter }: { readonly filter: GroupFilter }) {
  const groups = useSearchGroups()
  const { data, loadMore, isFetchingNextPage } = groups
  const picked = useMemo(() => pickGroups(data ?? [], filter, Date.now()), [data, filter])
  const isWanting = isNarrowed(filter) && picked.length < enough && (data?.length ?? 0) < maxLookedThrough
  useEffect(() => {
    if (isWanting && !isFetchingNextPage) loadMore?.()
  }, [isWanting, isFetchingNextPage, loadMore, data])
  return (
    <QueryView
      query={groups}
      isEmpty={(all) => all.length === 0}
      empty={
        <EmptyState title="No searches yet">
          Searches appear here. Choose New search to look for files, apps or system facts on your devices.
        </EmptyState>
      }
    >
      {() => (
        <DataTable
          label="Searches"
          columns={columns}
          cards="compact"
          rows={picked}
          rowId={idOf}
          rowText={textOf}
          rowHref={hrefOf}
          onLoadMore={loadMore}
          isLoadingMore={isFetchingNextPage}
          empty={
            <EmptyState
              title={isWanting && loadMore ? 'Looking through older searches …' : 'No searches match'}
            >
              Change the words or the time above.
            </EmptyState>
          }
        />
      )}
    </QueryView>
  )
}
