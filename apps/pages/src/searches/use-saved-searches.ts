import type { ReplyOf } from '@homeward/contract'
import type { DeviceCloudOperations } from '@homeward/contract/device-cloud'
import { useCloudPages, useCloudQuery } from '../api/cloud.ts'

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
