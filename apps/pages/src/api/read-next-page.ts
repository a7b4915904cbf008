import type { QueryClient, QueryKey } from '@tanstack/react-query'
import { isBeingRead, settled } from './refresh.ts'

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
