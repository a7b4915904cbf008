import { ClientError } from '@homeward/contract/client'

/** What a server says that is busy, or is being started, and a proxy before it. */
const passing: readonly (number | undefined)[] = [429, 502, 503, 504]
const shortestMs = 3000
const longestMs = 30_000

/** What of the state of a query is looked at. */
export interface FailedQuery {
  readonly error: Error | null
  readonly errorUpdateCount: number
}

/**
 * When a read that failed is to be tried again by itself, in milliseconds: soon at first, then less and less often. False
 * where that is of no use, or is seen to already: once a server that did not answer does, everything is read again.
 */
export function askAgainAfterMs({ error, errorUpdateCount }: FailedQuery): number | false {
  if (!ClientError.is(error) || !passing.includes(error.status)) return false
  return Math.min(shortestMs * 2 ** Math.max(0, errorUpdateCount - 1), longestMs)
}
