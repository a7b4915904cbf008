import { type CallInput, type Client, ClientError } from '@homeward/contract/client'
import type { Operation, OperationTable, ReplyOf } from '@homeward/contract'
import {
  type InfiniteData,
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQueries,
  useQuery,
  useQueryClient,
  type UseInfiniteQueryResult,
  type UseMutationResult,
  type UseQueryResult,
  type QueryKey,
  type QueryClient,
} from '@tanstack/react-query'
import { useCallback, useRef } from 'react'
import { refresh, isBeingRead, settled } from './refresh.ts'
import { isGone } from './until-gone.ts'
import { useLatest } from './use-latest.ts'

/** What a call of an operation takes; what needs no input may be called without one. */
type MutationInput<O extends Operation> =
  Partial<CallInput<O>> extends CallInput<O> ? CallInput<O> | void : CallInput<O>

/** When a query runs. */
interface QueryOptions<Reply> {
  /** @default true */
  readonly enabled?: boolean
  /** Milliseconds between two calls, or a function that decides by the last reply. @default none */
  readonly refetchInterval?: number | false | ((reply: Reply | undefined) => number | false)
  /** Shows the rows of the last input until those of the new one have come. @default false */
  readonly keepPrevious?: boolean
}

/** When the pages of a list are read, and which rows a page has. */
interface PagesOptions<Reply, Row> extends Omit<QueryOptions<Reply>, 'refetchInterval'> {
  /** Milliseconds between two calls, or a function that decides by the pages that were read. @default none */
  readonly refetchInterval?: number | false | ((pages: readonly Reply[]) => number | false)
  /** Best a function of the module: another one at each render has all rows read anew. */
  readonly select: (reply: Reply) => readonly Row[]
}

/** The rows of a list that were read so far. */
export interface PagesResult<Row> extends Pick<
  UseInfiniteQueryResult<Row[]>,
  'data' | 'error' | 'isPending' | 'isFetchingNextPage' | 'refetch'
> {
  /** Reads the next page; undefined where there is none. */
  readonly loadMore: (() => void) | undefined
}

/** What happens after a change. */
interface MutationOptions<Id, Input, Reply> {
  /** Queries of these operations are read anew. */
  readonly invalidates?: readonly Id[]
  /** The change counts as pending until it is over. */
  readonly onSuccess?: (reply: Reply, input: Input) => void | Promise<void>
  readonly onError?: (error: Error, input: Input) => void
}

/** An operation as the hooks call it: the public types say what goes in. */
type LooseCall = (input: object) => Promise<unknown>

/**
 * Builds the hooks of one interface over its typed client. The key of a query is `[operation id, input, ...ofApi]`, so that
 * all who know the id can read it again.
 *
 * @param ofApi tells operations apart that have the same id in another interface
 */
export function createApiHooks<const Table extends OperationTable>(
  client: Client<Table>,
  ofApi: readonly string[] = [],
) {
  type Ids = keyof Table & string

  // One function for each row of the table; the parameters of the hooks are those of the row.
  const call = async <Id extends Ids>(id: Id, input: object): Promise<ReplyOf<Table[Id]>> =>
    (await (client[id] as LooseCall)(input)) as ReplyOf<Table[Id]>

  const toQuery = <Id extends Ids>(id: Id, input: object) => ({
    queryKey: [id, input, ...ofApi],
    queryFn: ({ signal }: { readonly signal: AbortSignal }) => call(id, { ...input, signal }),
  })

  function useApiQuery<Id extends Ids>(
    id: Id,
    input?: CallInput<Table[Id]>,
    options: QueryOptions<ReplyOf<Table[Id]>> = {},
  ): UseQueryResult<ReplyOf<Table[Id]>> {
    const { enabled = true, refetchInterval = false, keepPrevious = false } = options
    return useQuery<ReplyOf<Table[Id]>>({
      ...toQuery(id, input ?? {}),
      enabled,
      refetchInterval: ({ state }) =>
        (typeof refetchInterval === 'function' ? refetchInterval(state.data) : refetchInterval) ||
        askAgainAfterMs(state),
      ...(keepPrevious && { placeholderData: keepPreviousData }),
    })
  }

  function useApiQueries<Id extends Ids>(
    id: Id,
    inputs: readonly CallInput<Table[Id]>[],
  ): readonly (ReplyOf<Table[Id]> | undefined)[] {
    const queries = inputs.map((input) => toQuery(id, input))
    return useQueries({ queries }).map(({ data }) => data)
  }

  function useApiPages<Id extends Ids, Row>(
    id: Id,
    input: CallInput<Table[Id]>,
    options: PagesOptions<ReplyOf<Table[Id]>, Row>,
  ): PagesResult<Row> {
    const { select, enabled = true, refetchInterval = false, keepPrevious = false } = options
    const { query } = input as { readonly query?: object }
    // With a `select` that stays the same, the rows do too until the reply is another one.
    const flatten = useCallback(
      ({ pages }: InfiniteData<ReplyOf<Table[Id]>>) => pages.flatMap((page) => select(page)),
      [select],
    )
    const queryKey = [id, 'pages', input, ...ofApi]
    const pages = useInfiniteQuery({
      queryKey,
      queryFn: ({ signal, pageParam }) =>
        call(id, {
          ...input,
          query: { ...query, ...(pageParam !== undefined && { cursor: pageParam }) },
          signal,
        }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: nextCursorOf,
      select: flatten,
      enabled,
      refetchInterval: ({ state }) =>
        (typeof refetchInterval === 'function'
          ? refetchInterval(state.data?.pages ?? [])
          : refetchInterval) || askAgainAfterMs(state),
      ...(keepPrevious && { placeholderData: keepPreviousData }),
    })
    const { data, error, isPending, isFetchingNextPage, refetch } = pages
    const loadMore = useNextPage(queryKey, pages)
    return { data, error, isPending, isFetchingNextPage, refetch, loadMore }
  }

  function useApiMutation<Id extends Ids>(
    id: Id,
    options: MutationOptions<Ids, MutationInput<Table[Id]>, ReplyOf<Table[Id]>> = {},
  ): UseMutationResult<ReplyOf<Table[Id]>, Error, MutationInput<Table[Id]>> {
    const queries = useQueryClient()
    const readAnew = async () => {
      await Promise.all((options.invalidates ?? []).map((each) => refresh(queries, { queryKey: [each] })))
    }
    return useMutation({
      mutationFn: (input) => call(id, input ?? {}),
      async onSuccess(reply, input) {
        await options.onSuccess?.(reply, input)
        await readAnew()
      },
      onError(error, input) {
        options.onError?.(error, input)
        // What shows is older than that.
        if (isGone(error)) void readAnew()
      },
    })
  }

  return { useApiQuery, useApiQueries, useApiPages, useApiMutation }
}

/** The two interfaces spell it differently; a list without it has one page. */
function nextCursorOf(reply: unknown): string | undefined {
  if (typeof reply !== 'object' || reply === null) return undefined
  const cursor: unknown = Reflect.get(reply, 'nextCursor') ?? Reflect.get(reply, 'next_cursor')
  return typeof cursor === 'string' ? cursor : undefined
}

/** What a server says that is busy, or is being started, and a proxy before it. */
const passing: readonly (number | undefined)[] = [429, 502, 503, 504]
const shortestMs = 3000
const longestMs = 30_000

/** What of the state of a query is looked at. */
interface FailedQuery {
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
