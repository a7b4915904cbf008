import type { Device } from '@homeward/contract/device-cloud'
import { useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import { cloud } from '../../api/cloud.ts'
import { type DeviceFilter, toListQuery } from './device-filter.ts'
import { type Facet, offerFacets } from './offer-facets.ts'

/** Counts of many values are many calls: they are read again seldom. */
const refetchMs = 30_000

/** A facet with how many devices have its value and fit the rest of the filter; undefined until that is known. */
export interface CountedFacet extends Facet {
  readonly count: number | undefined
}

/** Facets with the counts of the server. A chosen label counts what shows, any other what would. */
export function useFacets(devices: readonly Device[], filter: DeviceFilter): readonly CountedFacet[] {
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
