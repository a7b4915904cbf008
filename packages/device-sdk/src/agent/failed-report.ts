import type { SearchReport, SearchRequest } from '@homeward/contract/device-cloud'

/** The report of a search that gave nothing. */
export function toFailedReport({ id, query, scope }: SearchRequest, error: string): SearchReport {
  return { queryId: id, query: query.slice(0, 1000), scope: scope.slice(0, 16), results: {}, error }
}
