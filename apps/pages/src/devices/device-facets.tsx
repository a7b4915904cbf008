import type { Device } from '@homeward/contract/device-cloud'
import { ToggleButton } from 'react-aria-components'
import { type DeviceFilter, toListQuery, labelsOf } from './device-filter.ts'
import './device-facets.css'
import { useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import { cloud } from '../api/cloud.ts'

interface DeviceFacetsProps {
  /** Devices that were read, whatever the filter. */
  readonly devices: readonly Device[]
  readonly filter: DeviceFilter
  readonly onChange: (changed: Partial<DeviceFilter>) => void
}

const groups: readonly { readonly field: Facet['field']; readonly title: string }[] = [
  { field: 'status', title: 'Status' },
  { field: 'platform', title: 'Platform' },
  { field: 'label', title: 'Labels' },
]

/** States, platforms and labels with how many devices have each: a press narrows the list. */
export function DeviceFacets({ devices, filter, onChange }: DeviceFacetsProps) {
  const facets = useFacets(devices, filter)
  return (
    <div className="device-facets">
      {groups.map(({ field, title }) => {
        const own = facets.filter((facet) => facet.field === field)
        if (own.length === 0) return null
        return (
          <div key={field} role="group" aria-label={title} className="device-facet-group">
            <span className="small muted" aria-hidden>
              {title}
            </span>
            {own.map(({ value, isChosen, count, next }) => (
              <ToggleButton
                key={value}
                className="device-facet"
                isSelected={isChosen}
                onChange={() => onChange(next)}
              >
                <span className="truncate">{value}</span>
                {count !== undefined && <span className="numeric muted">{count.toLocaleString()}</span>}
              </ToggleButton>
            ))}
          </div>
        )
      })}
    </div>
  )
}

/** Counts of many values are many calls: they are read again seldom. */
const refetchMs = 30_000

/** A facet with how many devices have its value and fit the rest of the filter; undefined until that is known. */
interface CountedFacet extends Facet {
  readonly count: number | undefined
}

/** Facets with the counts of the server. A chosen label counts what shows, any other what would. */
function useFacets(devices: readonly Device[], filter: DeviceFilter): readonly CountedFacet[] {
  const facets = useMemo(() => offerFacets(devices, filter), [devices, filter])
  const counts = useQueries({
    queries: facets.map(({ isChosen, next }) => {
      const narrowed = isChosen ? filter : { ...filter, ...next }
      const query = { ...toListQuery(narrowed), count: 'true', limit: '1' } as const
      return {
        // not by the name of the operation: a heartbeat of one device must not have all of them read
        queryKey: ['device facets', query],
        queryFn: async ({ signal }: { readonly signal: AbortSignal }) =>
          (await cloud.listDevices({ query, signal })).total,
        staleTime: refetchMs,
        refetchInterval: refetchMs,
      }
    }),
    combine: (results) => results.map(({ data }) => data),
  })
  return facets.map((facet, index) => ({ ...facet, count: counts[index] }))
}

/** Values of one kind that show at the most, the most frequent of the devices that were read first. */
const maxValues = 8

/** A value that the list of devices can be narrowed to. */
interface Facet {
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
