import {
  type QueryKey,
  type UseInfiniteQueryResult,
  useQueryClient,
  type QueryClient,
} from '@tanstack/react-query'
import { useCallback, useRef } from 'react'
import { useLatest } from './use-latest.ts'
import { isBeingRead, settled } from './refresh.ts'

/** What of a list is looked at for its next page. */
type PagedQuery = Pick<UseInfiniteQueryResult, 'fetchNextPage' | 'hasNextPage'>

/**
 * Reads the next page of a list; undefined where there is none. What is being read of the list is waited for, and asking
 * twice reads one page.
 */
export function useNextPage(
  queryKey: QueryKey,
  { fetchNextPage, hasNextPage }: PagedQuery,
): (() => void) | undefined {
  const queries = useQueryClient()
  const asked = useRef<Promise<void>>(undefined)
  const latest = useLatest({ queryKey, fetchNextPage })
  const loadMore = useCallback(() => {
    asked.current ??= readNextPage(queries, latest.current.queryKey, latest.current.fetchNextPage).finally(
      () => (asked.current = undefined),
    )
  }, [queries, latest])
  return hasNextPage ? loadMore : undefined
}

/** Reads a page behind those that were read, without giving up what is being read. */
type FetchNextPage = (options: { readonly cancelRefetch: boolean }) => Promise<unknown>

/** Reads the next page of a list once nothing else of it is being read. */
export async function readNextPage(
  queries: QueryClient,
  queryKey: QueryKey,
  fetchNextPage: FetchNextPage,
): Promise<void> {
  const query = queries.getQueryCache().find({ queryKey, exact: true })
  while (query !== undefined && isBeingRead(queries, query)) await settled(queries, query)
  await fetchNextPage({ cancelRefetch: false })
}
