import type { Device } from '@homeward/contract/device-cloud'
import { Plus, Search } from 'lucide-react'
import { useDeferredValue, useMemo, useState } from 'react'
import { useLocation } from 'wouter'
import { Button } from '../../components/buttons/button.tsx'
import { type DataColumn, DataTable } from '../../components/table/data-table.tsx'
import { EmptyState } from '../../components/states/empty-state.tsx'
import { PageHeader } from '../../components/layout/page-header.tsx'
import { QueryView } from '../../components/states/query-view.tsx'
import { StatusBadge } from '../../components/states/status-badge.tsx'
import { useAddressFilter } from '../../components/use-address-filter.ts'
import { DeviceFilters } from './device-filters.tsx'
import { filterDevices } from './filter-devices.ts'
import { LastSeen, Presence } from './presence.tsx'
import { RegisterDialog } from './register-dialog.tsx'
import { useDevices } from './use-devices.ts'

const columns: readonly DataColumn<Device>[] = [
  { id: 'name', header: 'Name', cell: ({ name }) => name, width: '3fr', minWidth: 160 },
  { id: 'status', header: 'Status', cell: ({ status }) => <StatusBadge status={status} />, width: 110 },
  { id: 'seen', header: 'Last seen', cell: (device) => <LastSeen device={device} />, width: 130 },
  {
    id: 'presence',
    header: 'Presence',
    cell: (device) => <Presence device={device} />,
    width: '2fr',
    minWidth: 220,
  },
  { id: 'type', header: 'Type', cell: ({ type }) => type, width: '1fr' },
  { id: 'platform', header: 'Platform', cell: ({ platform }) => platform, width: '1fr' },
  {
    id: 'os',
    header: 'System',
    cell: ({ metadata: { os, version } }) => [os, version].filter(Boolean).join(' ') || '–',
    width: '2fr',
    isHiddenInCards: true,
  },
]
const idOf = ({ id }: Device) => id
const nameOf = ({ name }: Device) => name
const hrefOf = ({ id }: Device) => `/devices/${encodeURIComponent(id)}`

const noFilter = { text: '', status: 'all', platform: 'all' }

/** Every device, and how it is. */
export function DevicesPage() {
  const devices = useDevices()
  const [filter, setFilter] = useAddressFilter(noFilter)
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  return (
    <>
      <PageHeader
        title="Devices"
        description={<Counts devices={devices.data} isComplete={devices.isComplete} />}
        actions={
          <>
            {selected.size > 0 && <SearchSelected selected={selected} />}
            <RegisterDialog
              trigger={
                <Button variant="primary" icon={<Plus aria-hidden />}>
                  Register device
                </Button>
              }
            />
          </>
        }
      />
      <QueryView
        query={devices}
        loadingLabel="Reading the devices …"
        isEmpty={(rows) => rows.length === 0}
        empty={<NoDevices />}
      >
        {(rows) => (
          <>
            <DeviceFilters devices={rows} filter={filter} onChange={setFilter} />
            <DeviceTable
              devices={rows}
              filter={filter}
              selection={{ selected, onChange: setSelected }}
              onLoadMore={devices.isComplete ? devices.loadMore : undefined}
              isLoadingMore={devices.isFetchingNextPage}
            />
          </>
        )}
      </QueryView>
    </>
  )
}

interface DeviceTableProps {
  readonly devices: readonly Device[]
  readonly filter: Parameters<typeof filterDevices>[1]
  readonly selection: { selected: ReadonlySet<string>; onChange: (selected: ReadonlySet<string>) => void }
  readonly onLoadMore: (() => unknown) | undefined
  readonly isLoadingMore: boolean
}

function DeviceTable({ devices, filter, selection, onLoadMore, isLoadingMore }: DeviceTableProps) {
  // Typing goes first: the rows follow as soon as there is time.
  const wanted = useDeferredValue(filter)
  const shown = useMemo(() => filterDevices(devices, wanted), [devices, wanted])
  return (
    <DataTable
      label="Devices"
      columns={columns}
      rows={shown}
      rowId={idOf}
      rowText={nameOf}
      rowHref={hrefOf}
      selection={selection}
      onLoadMore={onLoadMore}
      isLoadingMore={isLoadingMore}
      empty={<EmptyState title="No device fits">Change the words or the filters above.</EmptyState>}
    />
  )
}

function NoDevices() {
  return (
    <EmptyState title="There is no device yet">
      Register one: it gets a key, and you the command that starts its agent with it.
    </EmptyState>
  )
}

function Counts({
  devices,
  isComplete,
}: {
  readonly devices: readonly Device[] | undefined
  readonly isComplete: boolean
}) {
  if (devices === undefined) return null
  const online = devices.filter(({ status }) => status === 'online').length
  const count = devices.length === 1 ? '1 device' : `${devices.length.toLocaleString()} devices`
  return (
    <span className="numeric">
      {count}, {online.toLocaleString()} online{isComplete ? '' : ', reading more …'}
    </span>
  )
}

function SearchSelected({ selected }: { readonly selected: ReadonlySet<string> }) {
  const [, navigate] = useLocation()
  return (
    <Button
      icon={<Search aria-hidden />}
      onPress={() => navigate('/searches/new', { state: { deviceIds: [...selected] } })}
    >
      Search on {selected.size.toLocaleString()}
    </Button>
  )
}
