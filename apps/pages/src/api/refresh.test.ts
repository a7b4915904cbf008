import { InfiniteQueryObserver, QueryClient, QueryObserver } from '@tanstack/react-query'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { readNextPage } from './create-api-hooks.ts'
import { refresh } from './refresh.ts'

/** Answers that come when the test says so, in the order of the questions. */
function createServer() {
  const open: { readonly page: number; readonly answer: (value: unknown) => void }[] = []
  const aborted: number[] = []
  const asked: number[] = []
  return {
    open,
    aborted,
    asked,
    read: (page: number, signal: AbortSignal) =>
      new Promise<unknown>((resolve) => {
        asked.push(page)
        open.push({ page, answer: resolve })
        signal.addEventListener('abort', () => aborted.push(page))
      }),
    async answer(value: unknown) {
      await vi.waitFor(() => expect(open).not.toHaveLength(0), { timeout: 60_000 })
      open.shift()?.answer(value)
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

const key = ['list']
let queries: QueryClient
let server: ReturnType<typeof createServer>

beforeEach(() => {
  queries = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  server = createServer()
})

/** What a component does that shows one answer. */
function showOne() {
  const observer = new QueryObserver(queries, {
    queryKey: key,
    queryFn: ({ signal }) => server.read(0, signal),
  })
  observer.subscribe(() => {})
  return observer
}

/** What a component does that shows a list, page by page. */
function showPages() {
  const observer = new InfiniteQueryObserver(queries, {
    queryKey: key,
    queryFn: ({ signal, pageParam }) => server.read(pageParam, signal),
    initialPageParam: 0,
    getNextPageParam: (_page, _pages, last) => last + 1,
  })
  observer.subscribe(() => {})
  return observer
}

describe('reading again what may have changed', () => {
  it('reads at once what is not being read', async () => {
    const observer = showOne()
    await server.answer('old')
    const done = refresh(queries, { queryKey: key })
    await server.answer('new')
    await done
    expect(observer.getCurrentResult().data).toBe('new')
  })

  it('does not let an answer win that is older than the change', async () => {
    const observer = showOne()
    const done = refresh(queries, { queryKey: key }) // while the first read is under way
    await server.answer('old')
    await server.answer('new')
    await done
    expect(observer.getCurrentResult().data).toBe('new')
    expect(server.aborted).toEqual([])
  })

  it('reads once more, however much changes meanwhile', async () => {
    showOne()
    const all = Promise.all([1, 2, 3].map(() => refresh(queries, { queryKey: key })))
    await server.answer('old')
    await server.answer('new')
    await all
    expect(server.asked).toHaveLength(2)
  })

  it('gives up no page of a list that is being read', async () => {
    const observer = showPages()
    await server.answer('first')
    const next = readNextPage(queries, key, (options) => observer.fetchNextPage(options))
    await vi.waitFor(() => expect(server.asked).toEqual([0, 1]), { timeout: 60_000 })
    const done = refresh(queries, { queryKey: key })
    await server.answer('second')
    await next
    expect(observer.getCurrentResult().data?.pages).toEqual(['first', 'second'])
    await server.answer('first, changed')
    await server.answer('second')
    await done
    expect(observer.getCurrentResult().data?.pages).toEqual(['first, changed', 'second'])
    expect(server.aborted).toEqual([])
  })

  it('lets the next page of a list come between two reads of it', async () => {
    const observer = showPages()
    await server.answer('first')
    const done = refresh(queries, { queryKey: key })
    const next = readNextPage(queries, key, (options) => observer.fetchNextPage(options))
    const again = refresh(queries, { queryKey: key }, 5)
    await server.answer('first, changed')
    await server.answer('second')
    await next
    // On a busy machine the next read may have begun by now.
    expect(server.asked.slice(0, 3)).toEqual([0, 0, 1])
    await server.answer('first')
    await server.answer('second')
    await Promise.all([done, again])
    expect(observer.getCurrentResult().data?.pages).toEqual(['first', 'second'])
    expect(server.aborted).toEqual([])
  })

  it('ends for what nobody reads any more', async () => {
    showOne()
    const done = refresh(queries, { queryKey: key })
    queries.removeQueries({ queryKey: key })
    await done
    expect(server.asked).toHaveLength(1)
  })

  it('only marks what does not show', async () => {
    queries.setQueryData(key, 'old')
    await refresh(queries, { queryKey: key })
    expect(queries.getQueryState(key)?.isInvalidated).toBe(true)
    expect(server.asked).toEqual([])
  })
})
