import type { Task } from '@homeward/contract/agent-platform'
import { hashKey, type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useConnection, useLiveEvents } from '../../api/live.ts'
import { platform } from '../../api/platform.ts'
import { patchTasks, type TaskFilter } from './task-rows.ts'

interface TaskPage {
  readonly tasks: readonly Task[]
  readonly next: string | undefined
}

const listKey = 'task list'
/** Tasks of a page of the list. */
const pageSize = 200
/** Changes of so short a time are looked at together. */
const collectMs = 400
/** With more changed tasks than these, the list is read again instead of each of them. */
const maxSingleReads = 40

/**
 * The tasks that fit, newest first and page by page. A change is read alone, and not with all the pages that were read:
 * a list of a hundred thousand stays as quick as one of ten.
 */
export function useTaskList(filter: TaskFilter) {
  const queries = useQueryClient()
  const queryKey = [listKey, filter]
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ signal, pageParam }) => readPage(filter, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    select: toRows,
  })
  useChangedTasks(async (ids) => {
    // Lists within other filters are read again once they are shown.
    const shown = hashKey(queryKey)
    const isOther = ({ queryHash }: { readonly queryHash: string }) => queryHash !== shown
    await queries.invalidateQueries({ queryKey: [listKey], predicate: isOther, refetchType: 'none' })
    // What is being read may be older than the change, and would hide it.
    if (ids.length > maxSingleReads || query.isFetching) return query.refetch()
    const changed = await Promise.all(
      ids.map(async (id) => (await platform.getTask({ params: { id } })).task),
    )
    queries.setQueryData<InfiniteData<TaskPage, string | undefined>>(queryKey, (before) => {
      if (!before) return before
      const last = before.pages.at(-1)
      const rows = { tasks: toRows(before), hasMore: last?.next !== undefined }
      return toPages(before, patchTasks(rows, changed, filter))
    })
  })
  const connection = useConnection()
  const wasOffline = useRef(false)
  useEffect(() => {
    if (connection === 'online' && wasOffline.current) void query.refetch()
    wasOffline.current = connection !== 'online'
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- once for each change of the connection
  }, [connection])
  return query
}

const toRows = ({ pages }: InfiniteData<TaskPage>) => pages.flatMap(({ tasks }) => tasks)

async function readPage(
  filter: TaskFilter,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<TaskPage> {
  const { status, agentId, graphId } = filter
  const reply = await platform.listTasks({
    query: {
      limit: String(pageSize),
      ...(status && { status }),
      ...(agentId !== undefined && { agent_id: agentId }),
      ...(graphId !== undefined && { graph_id: graphId }),
      ...(cursor !== undefined && { cursor }),
    },
    signal,
  })
  return 'tasks' in reply
    ? { tasks: reply.tasks, next: reply.next_cursor }
    : { tasks: [reply.task], next: undefined }
}

/** The rows as pages again: all in the first, since only where the last one goes on matters. */
function toPages(
  { pages, pageParams }: InfiniteData<TaskPage, string | undefined>,
  tasks: readonly Task[],
): InfiniteData<TaskPage, string | undefined> {
  return { pageParams, pages: pages.map(({ next }, index) => ({ tasks: index === 0 ? tasks : [], next })) }
}

const taskEvents = ['task.created', 'task.started', 'task.completed', 'task.failed']

/** Calls `read` with the ids of tasks that have changed, a few together. What fails is read with the next change. */
function useChangedTasks(read: (ids: readonly string[]) => Promise<unknown>): void {
  const changed = useRef(new Set<string>())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const latest = useRef(read)
  useEffect(() => {
    latest.current = read
  })
  function flush(): void {
    const ids = [...changed.current]
    changed.current.clear()
    timer.current = undefined
    latest.current(ids).catch(() => {
      for (const id of ids) changed.current.add(id)
    })
  }
  useLiveEvents({ types: taskEvents }, ({ data }) => {
    const { task_id: id } = data
    if (typeof id !== 'string') return
    changed.current.add(id)
    timer.current ??= setTimeout(flush, collectMs)
  })
  useEffect(() => () => clearTimeout(timer.current), [])
}
