import type { Device } from '@homeward/contract/device-cloud'
import { useMemo } from 'react'
import { FilterBar } from '../components/table/filter-bar.tsx'
import { SearchField } from '../components/fields/search-field.tsx'
import { SelectField } from '../components/fields/select-field.tsx'
import { TokenField } from '../components/fields/token-field.tsx'
import { type DeviceFilter, labelsOf } from './device-filter.ts'
import { platforms, types } from './known-kinds.ts'

const statuses = [
  { value: 'all', label: 'Any status' },
  { value: 'online', label: 'Online' },
  { value: 'offline', label: 'Offline' },
]

interface DeviceFiltersProps {
  /** Devices that were read: what they are and how they are labelled is offered. */
  readonly devices: readonly Device[]
  readonly filter: DeviceFilter
  readonly onChange: (changed: Partial<DeviceFilter>) => void
}

const chosenOf = ({ status, type, platform }: DeviceFilter) =>
  [status, type, platform].filter((value) => value !== 'all')

/** Words to look for, three choices and labels. */
export function DeviceFilters({ devices, filter, onChange }: DeviceFiltersProps) {
  const offered = useMemo(() => offerOf(devices, filter), [devices, filter])
  return (
    <FilterBar isMainFirst active={[...labelsOf(filter), ...chosenOf(filter)].length}>
      <SearchField
        label="Find devices"
        isLabelHidden
        placeholder="Name, id or metadata"
        value={filter.text}
        onChange={(text) => onChange({ text })}
      />
      <TokenField
        label="Labels"
        isLabelHidden
        placeholder="Labels"
        values={labelsOf(filter)}
        suggestions={offered.labels}
        onChange={(labels) => onChange({ label: labels.map((label) => label.toLowerCase()).join(',') })}
      />
      <SelectField
        label="Status"
        isLabelHidden
        options={statuses}
        value={filter.status}
        onChange={(status) => onChange({ status })}
      />
      <SelectField
        label="Type"
        isLabelHidden
        options={offered.types}
        value={filter.type}
        onChange={(type) => onChange({ type })}
      />
      <SelectField
        label="Platform"
        isLabelHidden
        options={offered.platforms}
        value={filter.platform}
        onChange={(platform) => onChange({ platform })}
      />
    </FilterBar>
  )
}

/** What can be chosen: the usual kinds, those of the devices that were read, and what is chosen. */
function offerOf(devices: readonly Device[], filter: DeviceFilter) {
  const options = (any: string, chosen: string, usual: readonly string[], found: readonly string[]) => [
    { value: 'all', label: any },
    ...[...new Set([...usual, ...found, ...(chosen === 'all' ? [] : [chosen])])].map((value) => ({
      value,
      label: value,
    })),
  ]
  return {
    labels: [...new Set(devices.flatMap(({ labels }) => labels))].toSorted(),
    types: options(
      'Any type',
      filter.type,
      types,
      devices.map(({ type }) => type),
    ),
    platforms: options(
      'Any platform',
      filter.platform,
      platforms,
      devices.map(({ platform }) => platform),
    ),
  }
}
