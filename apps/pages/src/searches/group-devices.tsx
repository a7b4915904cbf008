import type { SearchGroup, SearchQuery } from '@homeward/contract/device-cloud'
import { useState } from 'react'
import type { PagesResult } from '../api/create-api-hooks.ts'
import { Disclosure } from '../components/layout/disclosure.tsx'
import { LoadingState } from '../components/states/loading-state.tsx'
import { type DataColumn, DataTable } from '../components/table/data-table.tsx'
import { RelativeTime } from '../components/text/relative-time.tsx'
import { useDevice } from '../devices/use-devices.ts'
import { describeOutcome } from './describe-outcome.ts'
import { useGroupSearches } from './use-search-group.ts'

const device: DataColumn<SearchQuery> = {
  id: 'device',
  header: 'Device',
  cell: ({ device: { name } }) => name,
  width: '1fr',
  minWidth: 120,
}
const outcome = (header: string): DataColumn<SearchQuery> => ({
  id: 'outcome',
  header,
  cell: (search) => <span title={describeOutcome(search)}>{describeOutcome(search)}</span>,
  width: '2fr',
  minWidth: 140,
})
const answered = [device, outcome('Found')]
const failedColumns = [device, outcome('Reason')]
const silent: readonly DataColumn<SearchQuery>[] = [
  device,
  {
    id: 'reason',
    header: 'Reason',
    cell: ({ device: { id } }) => <WaitingReason deviceId={id} />,
    width: '2fr',
    minWidth: 140,
  },
]
const idOf = ({ id }: SearchQuery) => id
const hrefOf = ({ id }: SearchQuery) => `/searches/${encodeURIComponent(id)}`
const noRows: readonly SearchQuery[] = []

interface GroupDevicesProps {
  readonly group: SearchGroup
  readonly completed: PagesResult<SearchQuery>
  readonly failed: PagesResult<SearchQuery>
}

/** The devices of a search, folded: those that answered, those that failed with the reason, those that are waited for. */
export function GroupDevices({ group, completed, failed }: GroupDevicesProps) {
  const { counts } = group
  return (
    <>
      {counts.completed > 0 && (
        <Disclosure title={titleOf(counts.completed, 'answered', 'answered')}>
          <DeviceTable label="Devices that answered" columns={answered} searches={completed} />
        </Disclosure>
      )}
      {counts.failed > 0 && (
        <Disclosure title={titleOf(counts.failed, 'failed', 'failed')}>
          <DeviceTable label="Devices that failed" columns={failedColumns} searches={failed} />
        </Disclosure>
      )}
      {counts.pending > 0 && <WaitingDevices group={group} />}
    </>
  )
}

const titleOf = (count: number, one: string, many: string) =>
  count === 1 ? `1 device ${one}` : `${count.toLocaleString()} devices ${many}`

/** They are read once somebody opens them: in a large fleet they are hundreds. */
function WaitingDevices({ group }: { readonly group: SearchGroup }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <Disclosure
      title={titleOf(group.counts.pending, 'has not answered yet', 'have not answered yet')}
      isExpanded={isOpen}
      onExpandedChange={setIsOpen}
    >
      {isOpen && <PendingTable group={group} />}
    </Disclosure>
  )
}

function PendingTable({ group }: { readonly group: SearchGroup }) {
  const searches = useGroupSearches(group, 'pending')
  return <DeviceTable label="Devices that have not answered yet" columns={silent} searches={searches} />
}

/** Why a device has not answered: it is offline, or has not called since it was asked. */
function WaitingReason({ deviceId }: { readonly deviceId: string }) {
  const { device: known } = useDevice(deviceId)
  if (!known) return <span className="muted">–</span>
  if (known.status === 'online')
    return (
      <span>
        {known.metadata['consent'] === 'ask' ? 'online, waits for its owner' : 'online, will answer soon'}
      </span>
    )
  if (known.lastSeenAt === null) return <span>offline, never seen</span>
  return (
    <span>
      offline, last seen <RelativeTime value={known.lastSeenAt} />
    </span>
  )
}

interface DeviceTableProps {
  readonly label: string
  readonly columns: readonly DataColumn<SearchQuery>[]
  readonly searches: PagesResult<SearchQuery>
}

function DeviceTable({ label, columns, searches }: DeviceTableProps) {
  if (searches.data === undefined) return <LoadingState />
  return (
    <DataTable
      label={label}
      columns={columns}
      rows={searches.data ?? noRows}
      rowId={idOf}
      rowHref={hrefOf}
      rowHeight={40}
      onLoadMore={searches.loadMore}
      isLoadingMore={searches.isFetchingNextPage}
    />
  )
}
