import type { SearchReport, SearchRequest } from '@homeward/contract/device-cloud'

/** The report of a search without results, cut to what the cloud takes. */
export function toEmptyReport({ id, query, scope }: SearchRequest, error: string | null): SearchReport {
  return { queryId: id, query: query.slice(0, 1000), scope: scope.slice(0, 16), results: {}, error }
}
