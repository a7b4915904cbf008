import type { ReplyOf } from '@homeward/contract'
import type { DeviceCloudOperations, SearchQuery } from '@homeward/contract/device-cloud'
import { useEffect } from 'react'
import { useCloudPages } from '../../api/cloud.ts'

const pageSize = '100'
/** A search on a thousand devices, with as many searches after it. */
const maxPages = 20
const pendingMs = 2000

const searchesOf = ({ results }: ReplyOf<DeviceCloudOperations['listSearches']>) => results

/**
 * The searches that were created together with one: the interface gives them the same time and does not name them. They are
 * read until the list reaches what is older.
 */
export function useSearchGroup({ query, createdAt, scope }: SearchQuery) {
  const pages = useCloudPages(
    'listSearches',
    { query: { limit: pageSize } },
    {
      select: searchesOf,
      // One look at the newest page says whether it goes on; a group that is settled needs none.
      refetchInterval: (first) =>
        first?.results.some(({ status }) => status === 'pending') ? pendingMs : false,
    },
  )
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = pages
  const last = data?.at(-1)
  const isPast = last !== undefined && last.createdAt < createdAt
  const count = data?.length ?? 0
  useEffect(() => {
    const hasMore = hasNextPage && !isPast && count < maxPages * Number(pageSize)
    if (hasMore && !isFetching && !isError) void fetchNextPage()
  }, [hasNextPage, isPast, count, isFetching, isError, fetchNextPage])

  const scopes = scope.join()
  const group = data?.filter(
    (each) => each.createdAt === createdAt && each.query === query && each.scope.join() === scopes,
  )
  return { group: group ?? [], isComplete: data !== undefined && (isPast || !hasNextPage) }
}
