import type { Device } from '@homeward/contract/device-cloud'
import { type DeviceFilter, toListQuery, labelsOf } from './device-filter.ts'
import { useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import { cloud } from '../api/cloud.ts'

/** Counts of many values are many calls: they are read again seldom. */
const refetchMs = 30_000

/** A facet with how many devices have its value and fit the rest of the filter; undefined until that is known. */
export interface CountedFacet extends Facet {
  readonly count: number | undefined
}

const none: readonly Facet[] = []

/**
 * States, platforms and frequent labels; states and platforms with how many devices have each, as the server counts them. A
 * chosen one counts what shows, any other what would.
 *
 * @param devices that were read, whatever the filter
 */
export function useFacets(
  devices: readonly Device[],
  filter: DeviceFilter,
  enabled: boolean,
): readonly CountedFacet[] {
  const facets = useMemo(() => (enabled ? offerFacets(devices, filter) : none), [devices, filter, enabled])
  const counts = useQueries({
    queries: facets.map(({ field, isChosen, next }) => {
      const narrowed = isChosen ? filter : { ...filter, ...next }
      const query = { ...toListQuery(narrowed), count: 'true', limit: '1' } as const
      return {
        // not by the name of the operation: a heartbeat of one device must not have all of them read
        queryKey: ['device facets', query],
        queryFn: async ({ signal }: { readonly signal: AbortSignal }) =>
          (await cloud.listDevices({ query, signal })).total,
        // fields of labels have no place for a number
        enabled: field !== 'label',
        staleTime: refetchMs,
        refetchInterval: refetchMs,
      }
    }),
    combine: (results) => results.map(({ data }) => data),
  })
  return facets.map((facet, index) => ({ ...facet, count: counts[index] }))
}

/** At most so many values of one kind show, the most frequent of the devices that were read first. */
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
