import type { Device } from '@homeward/contract/device-cloud'
import { useDeferredValue, useMemo, useState } from 'react'
import { Button } from '../../components/buttons/button.tsx'
import { Card } from '../../components/layout/card.tsx'
import { type DataColumn, DataTable } from '../../components/table/data-table.tsx'
import { EmptyState } from '../../components/states/empty-state.tsx'
import { StatusBadge } from '../../components/states/status-badge.tsx'
import { DeviceFilters } from '../devices/device-filters.tsx'
import { filterDevices } from '../devices/filter-devices.ts'

interface DevicePickerProps {
  readonly devices: readonly Device[]
  readonly selected: ReadonlySet<string>
  readonly problem: string | undefined
  readonly onChange: (selected: ReadonlySet<string>) => void
}

const columns: readonly DataColumn<Device>[] = [
  { id: 'name', header: 'Name', cell: ({ name }) => name, width: '3fr', minWidth: 140 },
  { id: 'status', header: 'Status', cell: ({ status }) => <StatusBadge status={status} />, width: 120 },
  {
    id: 'platform',
    header: 'Platform',
    cell: ({ platform }) => platform,
    width: '1fr',
    isHiddenInCards: true,
  },
]
const idOf = ({ id }: Device) => id
const nameOf = ({ name }: Device) => name
const everyDevice = { text: '', status: 'all', platform: 'all' }

/** Chooses devices. Those that a filter hides stay chosen. */
export function DevicePicker({ devices, selected, problem, onChange }: DevicePickerProps) {
  const [filter, setFilter] = useState(everyDevice)
  const wanted = useDeferredValue(filter)
  const shown = useMemo(() => filterDevices(devices, wanted), [devices, wanted])

  return (
    <Card
      title={`On ${selected.size.toLocaleString()} of ${devices.length.toLocaleString()} ${devices.length === 1 ? 'device' : 'devices'}`}
      actions={
        selected.size > 0 && (
          <Button variant="quiet" onPress={() => onChange(new Set())}>
            Choose none
          </Button>
        )
      }
    >
      {problem !== undefined && (
        <div role="alert" className="field-error">
          {problem}
        </div>
      )}
      {devices.length > 5 && (
        <DeviceFilters
          devices={devices}
          filter={filter}
          onChange={(changed) => setFilter((before) => ({ ...before, ...changed }))}
        />
      )}
      <DataTable
        label="Devices to ask"
        columns={columns}
        rows={shown}
        rowId={idOf}
        rowText={nameOf}
        rowHeight={40}
        selection={{ selected, onChange }}
        empty={<EmptyState title="No device fits" />}
      />
    </Card>
  )
}
