import type { Device } from '@homeward/contract/device-cloud'
import { useState } from 'react'
import { Button } from '../components/buttons/button.tsx'
import { Card } from '../components/layout/card.tsx'
import { type DataColumn, DataTable } from '../components/table/data-table.tsx'
import { EmptyState } from '../components/states/empty-state.tsx'
import { StatusBadge } from '../components/states/status-badge.tsx'
import { useDebounced } from '../components/use-debounced.ts'
import { type DeviceFilter, everyDevice, matchesAll } from './device-filter.ts'
import { DeviceFilters } from './device-filters.tsx'
import { useDeviceCounts, useDevices, useOnlineFirst } from './use-devices.ts'

interface DevicePickerProps {
  readonly selected: ReadonlySet<string>
  readonly problem: string | undefined
  readonly onChange: (selected: ReadonlySet<string>) => void
  /** Has all matching devices meant while none is chosen: whoever shows this keeps the filter. @default some must be chosen */
  readonly matching?: {
    readonly filter: DeviceFilter
    readonly onChange: (filter: DeviceFilter) => void
  }
}

const columns: readonly DataColumn<Device>[] = [
  { id: 'name', header: 'Name', cell: ({ name }) => name, width: '3fr', minWidth: 140 },
  {
    id: 'status',
    header: 'Status',
    cell: ({ status }) => <StatusBadge status={status} />,
    width: 120,
    isCardCorner: true,
  },
  {
    id: 'platform',
    header: 'Platform',
    cell: ({ platform }) => platform,
    width: '1fr',
  },
]
const idOf = ({ id }: Device) => id
const nameOf = ({ name }: Device) => name

const noRows: readonly Device[] = []

/** Chooses devices. Those that a filter hides stay chosen. */
export function DevicePicker({ selected, problem, onChange, matching }: DevicePickerProps) {
  const [own, setOwn] = useState(everyDevice)
  const filter = matching?.filter ?? own
  const setFilter = matching?.onChange ?? setOwn
  const wanted = useDebounced(filter)
  const devices = useDevices(wanted)
  const all = useDeviceCounts()
  const { total: fitting, online } = useDeviceCounts(wanted)
  const isAll = matching !== undefined && selected.size === 0
  const rows = useOnlineFirst(devices.data, wanted) ?? noRows

  return (
    <Card
      title={
        isAll
          ? titleOfAll(fitting, all.total, matchesAll(wanted))
          : selected.size === 0
            ? 'Choose a device'
            : titleOf(selected.size, all.total)
      }
      actions={
        selected.size > 0 && (
          <Button variant="quiet" onPress={() => onChange(new Set())}>
            {matching ? 'Choose all that match' : 'Choose none'}
          </Button>
        )
      }
    >
      {problem !== undefined && (
        <div role="alert" className="field-error">
          {problem}
        </div>
      )}
      {isAll && (fitting ?? 0) > 1 && (
        <p className="muted">
          {online !== undefined && fitting !== undefined && `${statesOf(online, fitting)}. `}
          Choose devices in the list to search only those.
        </p>
      )}
      {all.total !== undefined && (all.total > 5 || !matchesAll(filter)) && (
        <DeviceFilters
          devices={rows}
          filter={filter}
          onChange={(changed) => setFilter({ ...filter, ...changed })}
        />
      )}
      <DataTable
        label="Devices to search"
        columns={columns}
        cards="compact"
        rows={rows}
        rowId={idOf}
        rowText={nameOf}
        rowHeight={40}
        selection={{ selected, onChange }}
        onLoadMore={devices.loadMore}
        isLoadingMore={devices.isFetchingNextPage}
        empty={<EmptyState title="No devices match">Change the words or the filters above.</EmptyState>}
      />
    </Card>
  )
}

const devicesOf = (count: number) => `${count.toLocaleString()} ${count === 1 ? 'device' : 'devices'}`

/** `4 online, 2,000 offline`. */
const statesOf = (online: number, total: number) =>
  `${online.toLocaleString()} online, ${Math.max(0, total - online).toLocaleString()} offline`

function titleOf(chosen: number, total: number | undefined): string {
  if (total === undefined) return `On ${chosen.toLocaleString()}`
  return `On ${chosen.toLocaleString()} of ${devicesOf(total)}`
}

function titleOfAll(fitting: number | undefined, total: number | undefined, isEvery: boolean): string {
  if (fitting === undefined || total === undefined) return 'On all devices'
  if (isEvery) return total === 1 ? 'On 1 device' : `On all ${devicesOf(total)}`
  return `On ${fitting.toLocaleString()} of ${devicesOf(total)} that match`
}
