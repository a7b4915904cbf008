import type { QueryOf, ReplyOf } from '@homeward/contract'
import type { DeviceCloudOperations, SearchGroup, SearchStatus } from '@homeward/contract/device-cloud'
import { useEffect } from 'react'
import { useCloudPages, useCloudQuery } from '../api/cloud.ts'
import { untilNextRead } from '../api/device-events.ts'

const pageSize = '100'
const pendingMs = 2000
const settledMs = 10_000
/** So many devices are read without a press on a button. */
const maxAutomatic = 1000

const searchesOf = ({ results }: ReplyOf<DeviceCloudOperations['listSearches']>) => results
const groupsOf = ({ groups }: ReplyOf<DeviceCloudOperations['listSearchGroups']>) => groups

/** A group of searches with its counts. One that is settled is not read again. */
export function useSearchGroup(groupId: string) {
  return useCloudQuery(
    'getSearchGroup',
    { params: { id: groupId } },
    { refetchInterval: (reply) => reply?.group.counts.pending !== 0 && untilNextRead(pendingMs) },
  )
}

/** The searches of a group that have a status: the first thousand are read at once, page by page. */
export function useGroupSearches({ id, counts }: SearchGroup, status: SearchStatus) {
  const pages = useCloudPages(
    'listSearches',
    { query: { groupId: id, status, limit: pageSize } },
    { select: searchesOf, refetchInterval: () => counts.pending !== 0 && untilNextRead(pendingMs) },
  )
  const { data, loadMore, isFetchingNextPage } = pages
  const isShort = (data?.length ?? 0) < maxAutomatic
  useEffect(() => {
    if (isShort && !isFetchingNextPage) loadMore?.()
  }, [isShort, isFetchingNextPage, loadMore, data])
  return pages
}

type GroupQuery = QueryOf<DeviceCloudOperations['listSearchGroups']>

/** Groups of searches that match, newest first. The server filters. */
export function useSearchGroups(query: GroupQuery) {
  return useCloudPages(
    'listSearchGroups',
    { query: { ...query, limit: pageSize } },
    {
      select: groupsOf,
      keepPrevious: true,
      refetchInterval: ([newest]) =>
        untilNextRead(
          newest?.groups.some(({ counts }) => counts.pending > 0) === true ? pendingMs : settledMs,
        ),
    },
  )
}
