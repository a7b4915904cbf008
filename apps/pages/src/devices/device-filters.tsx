import type { Device } from '@homeward/contract/device-cloud'
import { useMemo, useState } from 'react'
import { FilterBar } from '../components/table/filter-bar.tsx'
import { SearchField } from '../components/fields/search-field.tsx'
import { SelectField } from '../components/fields/select-field.tsx'
import { TokenField } from '../components/fields/token-field.tsx'
import { type DeviceFilter, labelsOf, platforms, types, everyDevice } from './device-filter.ts'
import type { CountedFacet } from './device-facets.ts'
import { X } from 'lucide-react'
import { Button, ComboBox, Group, Input, ListBox, ListBoxItem } from 'react-aria-components'
import { FieldLabel } from '../components/fields/field-parts.tsx'
import { OptionPopover } from '../components/fields/option-popover.tsx'
import '../components/fields/suggest-field.css'
import { useDebounced } from '../components/use-debounced.ts'
import { useDevice, useDevices } from './use-devices.ts'

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
  /** How many devices have a value: each stands beside its choice. */
  readonly facets?: readonly CountedFacet[]
}

const noFacets: readonly CountedFacet[] = []

const chosenOf = ({ status, type, platform }: DeviceFilter) =>
  [status, type, platform].filter((value) => value !== 'all')

/** Words to look for, three choices and labels. */
export function DeviceFilters({ devices, filter, onChange, facets = noFacets }: DeviceFiltersProps) {
  const offered = useMemo(() => offerOf(devices, filter, facets), [devices, filter, facets])
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
        options={offered.statuses}
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
function offerOf(devices: readonly Device[], filter: DeviceFilter, facets: readonly CountedFacet[]) {
  const withCount = (field: CountedFacet['field'], value: string, label: string) => {
    const count = facets.find((facet) => facet.field === field && facet.value === value)?.count
    return { value, label: count === undefined ? label : `${label} (${count.toLocaleString()})` }
  }
  const frequent = facets.filter(({ field }) => field === 'label').map(({ value }) => value)
  const options = (any: string, chosen: string, usual: readonly string[], found: readonly string[]) => [
    { value: 'all', label: any },
    ...[...new Set([...usual, ...found, ...(chosen === 'all' ? [] : [chosen])])].map((value) => ({
      value,
      label: value,
    })),
  ]
  return {
    labels: [...new Set([...frequent, ...devices.flatMap(({ labels }) => labels).toSorted()])],
    statuses: statuses.map(({ value, label }) => withCount('status', value, label)),
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
    ).map(({ value, label }) => withCount('platform', value, label)),
  }
}

interface DeviceFieldProps {
  /** Empty for any. */
  readonly deviceId: string
  readonly onChange: (deviceId: string) => void
}

/** One device of however many, found by its name. The server looks for it. */
export function DeviceField({ deviceId, onChange }: DeviceFieldProps) {
  const [written, setWritten] = useState('')
  const { device } = useDevice(deviceId, deviceId !== '')
  const known = deviceId === '' ? undefined : device
  // The name of what is chosen is in the field: that is no search.
  const text = useDebounced(written === known?.name ? '' : written)
  const { data } = useDevices({ ...everyDevice, text })
  const items = useMemo(() => {
    const found = data?.map(({ id, name }) => ({ id, name })) ?? []
    if (known === undefined || found.some(({ id }) => id === known.id)) return found
    return [{ id: known.id, name: known.name }, ...found]
  }, [data, known])
  return (
    <ComboBox
      className="field"
      items={items}
      allowsEmptyCollection
      value={deviceId === '' ? null : deviceId}
      onInputChange={setWritten}
      onChange={(key) => onChange(key === null ? '' : String(key))}
      // What the address names has a name only once the device was read.
      key={deviceId !== '' && !items.some(({ id }) => id === deviceId) ? 'unknown' : 'known'}
    >
      <FieldLabel label="Device" isHidden />
      <Group className="suggest-field">
        <Input className="field-input" placeholder="Any device" dir="auto" />
        {deviceId !== '' && (
          <Button slot={null} className="suggest-button" aria-label="Any device" onPress={() => onChange('')}>
            <X aria-hidden />
          </Button>
        )}
      </Group>
      <OptionPopover count={items.length}>
        <ListBox className="select-list">
          {({ id, name }: { readonly id: string; readonly name: string }) => (
            <ListBoxItem id={id} textValue={name} className="select-item truncate">
              {name}
            </ListBoxItem>
          )}
        </ListBox>
      </OptionPopover>
    </ComboBox>
  )
}
