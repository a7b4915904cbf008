import type { SearchGroup, DeviceCloudOperations } from '@homeward/contract/device-cloud'
import { useMemo } from 'react'
import { EmptyState } from '../components/states/empty-state.tsx'
import type { DataColumn } from '../components/table/data-table.tsx'
import { RelativeTime } from '../components/text/relative-time.tsx'
import { describeFilter, describeGroup } from './describe-group.ts'
import { hrefOfGroup } from './search-draft.ts'
import { useSearchGroups } from './use-search-group.ts'
import type { QueryOf } from '@homeward/contract'
import { RowList } from '../components/table/list-page.tsx'

const columns: readonly DataColumn<SearchGroup>[] = [
  { id: 'query', header: 'Search', cell: ({ query }) => query, width: '2fr', minWidth: 140 },
  {
    id: 'answers',
    header: 'Answers',
    cell: (group) => <span title={describeGroup(group)}>{describeGroup(group)}</span>,
    width: '4fr',
    minWidth: 330,
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
const textOf = ({ query }: SearchGroup) => query
const hrefOf = ({ id }: SearchGroup) => hrefOfGroup(id)

/** Searches, newest first, one row each, however many devices were searched. */
export function GroupList({ filter }: { readonly filter: GroupFilter }) {
  const query = useMemo(() => toGroupQuery(filter, Date.now()), [filter])
  const groups = useSearchGroups(query)
  const isNarrowed = Object.keys(query).some((name) => name !== 'savedSearchId')
  const isOfSaved = filter.savedSearchId !== undefined
  return (
    <RowList
      label="Searches"
      query={groups}
      columns={columns}
      cards="compact"
      rowText={textOf}
      rowHref={hrefOf}
      empty={
        isNarrowed ? (
          <EmptyState title="No searches match">Change the words or the time above.</EmptyState>
        ) : (
          <EmptyState title={isOfSaved ? 'No runs yet' : 'No searches yet'}>
            {isOfSaved
              ? 'Runs of this search appear here. Choose Run now, or give it a schedule.'
              : 'Searches appear here. Choose New search to look for files, apps or system facts on your devices.'}
          </EmptyState>
        )
      }
    />
  )
}

/** Which searches show. */
interface GroupFilter {
  /** Words of the search text; empty for any. */
  readonly text: string
  /** A key of {@link timeRanges}; `all` for any time. */
  readonly time: string
  /** `waiting` for searches that devices have not answered yet; `all` for any. */
  readonly state: string
  /** Only runs of this saved search. */
  readonly savedSearchId?: string
}

const hourMs = 3_600_000

/** Times since when searches show, in milliseconds, by their name in the address. */
const timeRanges: Readonly<Record<string, number>> = {
  hour: hourMs,
  day: 24 * hourMs,
  week: 7 * 24 * hourMs,
  month: 30 * 24 * hourMs,
}

const statuses: Readonly<Record<string, 'pending' | 'settled'>> = { waiting: 'pending', settled: 'settled' }

const own = <Value,>(values: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined

/** The filter as the server takes it; empty for all searches. @param now milliseconds since 1970 */
export function toGroupQuery(
  { text, time, state, savedSearchId }: GroupFilter,
  now: number,
): QueryOf<DeviceCloudOperations['listSearchGroups']> {
  const words = text.trim()
  const range = own(timeRanges, time)
  const status = own(statuses, state)
  return {
    ...(words !== '' && { text: words }),
    ...(range !== undefined && { from: new Date(now - range).toISOString() }),
    ...(status !== undefined && { status }),
    ...(savedSearchId !== undefined && { savedSearchId }),
  }
}
