import type { Device } from '@homeward/contract/device-cloud'
import { type DeviceFilter, labelsOf } from './device-filter.ts'

/** Values of one kind that show at the most, the most frequent of the devices that were read first. */
const maxValues = 8

/** A value that the list of devices can be narrowed to. */
export interface Facet {
  readonly field: 'status' | 'platform' | 'label'
  readonly value: string
  /** Whether the filter asks for it. */
  readonly isChosen: boolean
  /** The filter after a press on it. */
  readonly next: Partial<DeviceFilter>
}

/** What the list can be narrowed to. @param devices that were read, whatever the filter. */
export function offerFacets(devices: readonly Device[], filter: DeviceFilter): readonly Facet[] {
  const chosenLabels = labelsOf(filter)
  const choose = (field: 'status' | 'platform', value: string): Facet => {
    const isChosen = filter[field] === value
    return { field, value, isChosen, next: { [field]: isChosen ? 'all' : value } }
  }
  const label = (value: string): Facet => {
    const isChosen = chosenLabels.includes(value)
    const labels = isChosen ? chosenLabels.filter((each) => each !== value) : [...chosenLabels, value]
    return { field: 'label', value, isChosen, next: { label: labels.join(',') } }
  }
  const platforms = mostFrequent(devices.map(({ platform }) => platform))
  return [
    ...['online', 'offline'].map((value) => choose('status', value)),
    ...(platforms.length > 1 ? platforms.map((value) => choose('platform', value)) : []),
    ...mostFrequent(devices.flatMap(({ labels }) => labels)).map(label),
  ]
}

function mostFrequent(values: readonly string[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  const sorted = [...counts].toSorted(([a, many], [b, more]) => more - many || a.localeCompare(b))
  return sorted.slice(0, maxValues).map(([value]) => value)
}
