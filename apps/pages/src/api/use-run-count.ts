import type { QueryOf } from '@homeward/contract'
import type { AgentPlatformOperations } from '@homeward/contract/agent-platform'
import { usePlatformQuery } from './platform.ts'

/** So many runs the server counts at most. */
export const mostCounted = 10_000

/** A number of runs. */
interface RunCount {
  readonly count: number
  /** Whether there may be more: the server counts the newest 10,000. */
  readonly isCut: boolean
}

/** A number of runs as pages show it. */
export const formatRunCount = ({ count, isCut }: RunCount): string =>
  `${count.toLocaleString()}${isCut ? '+' : ''}`

type RunQuery = Omit<QueryOf<AgentPlatformOperations['listRuns']>, 'count' | 'limit' | 'cursor' | 'sort'>

/**
 * How many runs match, counted by the server: Home and the list of runs show the same. Undefined until it is known, and for
 * tokens that are limited to some agents.
 */
export function useRunCount(query: RunQuery, enabled = true): RunCount | undefined {
  const input = { query: { ...query, count: 'source', limit: '1' } } as const
  const { data } = usePlatformQuery('listRuns', input, { enabled, keepPrevious: true })
  const counts = data?.counts?.source
  if (counts === undefined) return undefined
  const sum = Object.values(counts).reduce((total, count) => total + count, 0)
  const count = query.source === undefined ? sum : (counts[query.source] ?? 0)
  return { count, isCut: sum >= mostCounted }
}
