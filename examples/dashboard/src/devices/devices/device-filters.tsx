import type { Device } from '@homeward/contract/device-cloud'
import { useMemo } from 'react'
import { useSearchParams } from 'wouter'
import { FilterBar } from '../../components/table/filter-bar.tsx'
import { SearchField } from '../../components/fields/search-field.tsx'
import { SelectField } from '../../components/fields/select-field.tsx'
import { type DeviceFilter, platformsOf } from './filter-devices.ts'

const statuses = [
  { value: 'all', label: 'Any status' },
  { value: 'online', label: 'Online' },
  { value: 'offline', label: 'Offline' },
]

/** The filter as the address has it, so that a link and the way back keep it. */
export function useDeviceFilter(): [DeviceFilter, (filter: DeviceFilter) => void] {
  const [params, setParams] = useSearchParams()
  const text = params.get('text') ?? ''
  const status = params.get('status') ?? 'all'
  const platform = params.get('platform') ?? 'all'
  const filter = useMemo(() => ({ text, status, platform }), [text, status, platform])
  const change = (next: DeviceFilter) => {
    const kept = Object.entries(next).filter(([, value]) => value !== '' && value !== 'all')
    setParams(Object.fromEntries(kept), { replace: true })
  }
  return [filter, change]
}

interface DeviceFiltersProps {
  readonly devices: readonly Device[]
  readonly filter: DeviceFilter
  readonly onChange: (filter: DeviceFilter) => void
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
        onChange={(text) => onChange({ ...filter, text })}
      />
      <SelectField
        label="Status"
        isLabelHidden
        options={statuses}
        value={filter.status}
        onChange={(status) => onChange({ ...filter, status })}
      />
      <SelectField
        label="Platform"
        isLabelHidden
        options={platforms}
        value={filter.platform}
        onChange={(platform) => onChange({ ...filter, platform })}
      />
    </FilterBar>
  )
}
