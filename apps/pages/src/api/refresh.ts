import type { Query, QueryClient, QueryFilters } from '@tanstack/react-query'

/** What is to be read again once what is being read now has settled. */
const waiting = new WeakMap<Query, Promise<void>>()

/**
 * Has queries read again that a change may have made old. Nothing that is being read is given up for it: a list of many
 * pages would never get its next one while things change, and a slow answer would never come at all. Since what is being
 * read may be older than the change, it is read once more when it has settled, and once only, however much changes.
 *
 * @param pauseMs between two reads of the same, for what changes all the time.
 * @returns once everything that shows has been read again. It never fails: queries keep their errors.
 */
export async function refresh(queries: QueryClient, filters: QueryFilters, pauseMs = 0): Promise<void> {
  const found = queries.getQueryCache().findAll(filters)
  await Promise.all(found.map((query) => refreshOne(queries, query, pauseMs)))
}

function refreshOne(queries: QueryClient, query: Query, pauseMs: number): Promise<void> {
  const before = waiting.get(query)
  if (before) return before
  if (!isBeingRead(queries, query)) return readAgain(queries, query)
  const after = (async () => {
    // A page of the list that somebody waits for goes first, and may begin at any time.
    do {
      await settled(queries, query)
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs))
    } while (isBeingRead(queries, query))
    waiting.delete(query)
    return readAgain(queries, query)
  })()
  waiting.set(query, after)
  return after
}

/** What nobody looks at is only marked: it is read when it shows. */
function readAgain(queries: QueryClient, query: Query): Promise<void> {
  const isIt = (each: Query) => each === query
  return queries.invalidateQueries({ predicate: isIt }, { cancelRefetch: false })
}

/** Whether a query is being read; what was thrown away is read by nobody any more. */
export function isBeingRead(queries: QueryClient, query: Query): boolean {
  return query.state.fetchStatus !== 'idle' && queries.getQueryCache().get(query.queryHash) === query
}

/** Resolves once a query is not being read, however that ends. */
export function settled(queries: QueryClient, query: Query): Promise<void> {
  if (!isBeingRead(queries, query)) return Promise.resolve()
  return new Promise((resolve) => {
    const unsubscribe = queries.getQueryCache().subscribe((event) => {
      if (event.query !== query) return
      if (isBeingRead(queries, query)) return
      unsubscribe()
      resolve()
    })
  })
}
