import type { ReplyOf } from '@homeward/contract'
import type { DeviceCloudOperations, SearchQuery } from '@homeward/contract/device-cloud'
import { useCloudPages, useCloudQuery } from '../api/cloud.ts'
import { untilNextRead } from '../api/device-events.ts'

type Reply = ReplyOf<DeviceCloudOperations['listSearches']>

/** Which searches are looked for; what is left out does not matter. */
export interface SearchFilter {
  readonly queryId?: string
  readonly deviceId?: string
  readonly status?: SearchQuery['status']
}

/** A list has all results with it: short pages keep it light. */
const pageSize = '50'
const pendingMs = 1500
const settledMs = 10_000

const searchesOf = ({ results }: Reply) => results
const intervalFor = ([newest]: readonly Reply[]) =>
  untilNextRead(newest?.results.some(({ status }) => status === 'pending') === true ? pendingMs : settledMs)

/** Searches, newest first; read again soon while one of the newest is pending. */
export function useSearches(filter: SearchFilter) {
  return useCloudPages(
    'listSearches',
    { query: { ...filter, limit: pageSize } },
    { select: searchesOf, refetchInterval: intervalFor },
  )
}

/** One search, read again soon while it is pending. A settled one stays as it is (C9). */
export function useSearch(id: string) {
  const query = useCloudQuery(
    'listSearches',
    { query: { queryId: id } },
    { refetchInterval: (reply) => reply?.results[0]?.status === 'pending' && untilNextRead(pendingMs) },
  )
  return { ...query, search: query.data?.results[0] }
}

type Operations = DeviceCloudOperations

const refetchMs = 15_000
const savedOf = ({ savedSearches }: ReplyOf<Operations['listSavedSearches']>) => savedSearches
const changesOf = ({ changes }: ReplyOf<Operations['listSavedSearchChanges']>) => changes

/** Page of a saved search. */
export const hrefOfSaved = (id: string): string => `/searches/saved/${encodeURIComponent(id)}`

/** Saved searches, newest first. */
export function useSavedSearches() {
  return useCloudPages(
    'listSavedSearches',
    { query: { limit: '200' } },
    { select: savedOf, refetchInterval: refetchMs },
  )
}

/** One saved search. */
export function useSavedSearch(id: string) {
  return useCloudQuery('getSavedSearch', { params: { id } }, { refetchInterval: refetchMs })
}

/** What changed between the last two runs of a saved search, device by device. */
export function useChanges(id: string) {
  return useCloudPages(
    'listSavedSearchChanges',
    { params: { id }, query: { limit: '200' } },
    { select: changesOf, refetchInterval: refetchMs },
  )
}
