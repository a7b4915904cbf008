import type { ReplyOf } from '@homeward/contract'
import type { DeviceCloudOperations, SearchQuery } from '@homeward/contract/device-cloud'
import { useEffect, useMemo } from 'react'
import { useCloudPages } from '../../api/cloud.ts'
import { recallSearchGroup } from './search-groups.ts'

const pageSize = '100'
/** A search on a thousand devices, with as many searches after it. */
const maxPages = 20
const pendingMs = 2000

const searchesOf = ({ results }: ReplyOf<DeviceCloudOperations['listSearches']>) => results

/**
 * The searches that were created together with one. The tab that created them knows which they are; the interface gives them
 * the same time and does not name them, so that elsewhere those of the same time that ask the same count. They are read
 * until the list reaches what is older.
 */
export function useSearchGroup(search: SearchQuery) {
  const { id, createdAt } = search
  const known = useMemo(() => recallSearchGroup(id), [id])
  const isOfGroup = (each: SearchQuery) => (known ? known.has(each.id) : isAskedTogether(each, search))
  const pages = useCloudPages(
    'listSearches',
    { query: { limit: pageSize } },
    {
      select: searchesOf,
      // A group that is settled needs no other look.
      refetchInterval: (pages) =>
        pages.flatMap(searchesOf).some((each) => each.status === 'pending' && isOfGroup(each))
          ? pendingMs
          : false,
    },
  )
  const { data, error, isFetchingNextPage, loadMore } = pages
  const last = data?.at(-1)
  const isPast = last !== undefined && last.createdAt < createdAt
  const count = data?.length ?? 0
  useEffect(() => {
    const isWanted = !isPast && count < maxPages * Number(pageSize)
    if (isWanted && !isFetchingNextPage && error === null) loadMore?.()
  }, [isPast, count, isFetchingNextPage, error, loadMore])

  const group = data?.filter(isOfGroup) ?? []
  const isWhole = isPast || loadMore === undefined || group.length === known?.size
  return { group, isComplete: data !== undefined && isWhole }
}

function isAskedTogether(one: SearchQuery, other: SearchQuery): boolean {
  return (
    one.createdAt === other.createdAt &&
    one.query === other.query &&
    one.scope.join() === other.scope.join() &&
    // One creation asks a device once: the same device twice is another creation of the same moment.
    (one.device.id !== other.device.id || one.id === other.id)
  )
}
