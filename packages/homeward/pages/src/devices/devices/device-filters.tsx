import type { Device } from '@homeward/contract/device-cloud'
import { useMemo } from 'react'
import { FilterBar } from '../../components/table/filter-bar.tsx'
import { SearchField } from '../../components/fields/search-field.tsx'
import { SelectField } from '../../components/fields/select-field.tsx'
import { type DeviceFilter, platformsOf } from './filter-devices.ts'

const statuses = [
  { value: 'all', label: 'Any status' },
  { value: 'online', label: 'Online' },
  { value: 'offline', label: 'Offline' },
]

interface DeviceFiltersProps {
  readonly devices: readonly Device[]
  readonly filter: DeviceFilter
  readonly onChange: (changed: Partial<DeviceFilter>) => void
}

/** Words to look for, and two choices. */
export function DeviceFilters({ devices, filter, onChange }: DeviceFiltersProps) {
  const platforms = useMemo(
    () => [
      { value: 'all', label: 'Any platform' },
      ...platformsOf(devices).map((platform) => ({ value: platform, label: platform })),
    ],
    [devices],
  )
  return (
    <FilterBar isMainFirst>
      <SearchField
        label="Find devices"
        isLabelHidden
        placeholder="Name, system, hardware or id"
        value={filter.text}
        onChange={(text) => onChange({ text })}
      />
      <SelectField
        label="Status"
        isLabelHidden
        options={statuses}
        value={filter.status}
        onChange={(status) => onChange({ status })}
      />
      <SelectField
        label="Platform"
        isLabelHidden
        options={platforms}
        value={filter.platform}
        onChange={(platform) => onChange({ platform })}
      />
    </FilterBar>
  )
}
