import type { SearchQuery } from '@homeward/contract/device-cloud'
import type { DataColumn } from '../components/table/data-table.tsx'
import { EmptyState } from '../components/states/empty-state.tsx'
import { RelativeTime } from '../components/text/relative-time.tsx'
import { StatusBadge } from '../components/states/status-badge.tsx'
import { describeOutcome } from './describe-outcome.ts'
import { type SearchFilter, useSearches } from './use-searches.ts'
import { RowList } from '../components/table/list-page.tsx'

const columns: readonly DataColumn<SearchQuery>[] = [
  { id: 'query', header: 'Search', cell: ({ query }) => query, width: '3fr', minWidth: 140 },
  { id: 'device', header: 'Device', cell: ({ device }) => device.name, width: '2fr', minWidth: 110 },
  {
    id: 'status',
    header: 'Status',
    cell: ({ status }) => <StatusBadge status={status} />,
    width: 130,
    isCardCorner: true,
  },
  { id: 'outcome', header: 'Outcome', cell: describeOutcome, width: '3fr', minWidth: 140 },
  { id: 'scope', header: 'In', cell: ({ scope }) => scope.join(', '), width: '2fr', isHiddenInCards: true },
  { id: 'created', header: 'Asked', cell: ({ createdAt }) => <RelativeTime value={createdAt} />, width: 130 },
]
const textOf = ({ query, device }: SearchQuery) => `${query}, ${device.name}`
const hrefOf = ({ id }: SearchQuery) => `/searches/${encodeURIComponent(id)}`

/** Searches that fit a filter, newest first. */
export function SearchList({ filter }: { readonly filter: SearchFilter }) {
  const searches = useSearches(filter)
  const isFiltered = Object.keys(filter).length > 0
  return (
    <RowList
      label="Searches"
      query={searches}
      columns={filter.deviceId === undefined ? columns : columns.filter(({ id }) => id !== 'device')}
      cards="compact"
      rowText={textOf}
      rowHref={hrefOf}
      empty={
        <EmptyState title={isFiltered ? 'No searches match' : 'No searches yet'}>
          Searches appear here. A search looks for files, apps or system facts on one or more devices.
        </EmptyState>
      }
    />
  )
}
