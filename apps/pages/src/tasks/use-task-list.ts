import type { Task } from '@homeward/contract/agent-platform'
import { ClientError } from '@homeward/contract/client'
import { hashKey, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useLiveEvents } from '../api/live.ts'
import { platform } from '../api/platform.ts'
import { useNextPage } from '../api/create-api-hooks.ts'
import { useLatest } from '../api/use-latest.ts'
import { followTasks, type TaskFollower, type TaskPage, toRows } from './task-follower.ts'
import type { TaskFilter } from './task-follower.ts'

/** Read anew after a change made here; what events tell is read task by task, so that a long list stays quick. */
const listKey = 'listTasks'
/** Tasks of a page of the list. */
const pageSize = 200
const taskEvents = ['task.created', 'task.started', 'task.completed', 'task.failed']

/** The tasks that fit, newest first and page by page, up to date as long as they show. */
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
  const list = useLatest({ queryKey, filter })
  const follower = useRef<TaskFollower>(undefined)
  useEffect(() => {
    const own = followTasks({ queries, list: () => list.current, readTask })
    follower.current = own
    return () => own.close()
  }, [queries, list])

  useLiveEvents({ types: taskEvents }, ({ data }) => {
    const { task_id: id } = data
    if (typeof id !== 'string') return
    follower.current?.changed(id)
    // Lists within other filters are read again once they are shown.
    const shown = hashKey(list.current.queryKey)
    const isOther = ({ queryHash }: { readonly queryHash: string }) => queryHash !== shown
    void queries.invalidateQueries({ queryKey: [listKey], predicate: isOther, refetchType: 'none' })
  })

  const { data, error, isFetchingNextPage, refetch } = query
  return { data, error, isFetchingNextPage, refetch, loadMore: useNextPage(queryKey, query) }
}

/** @returns nothing for a task that is gone. */
async function readTask(id: string): Promise<Task | undefined> {
  try {
    return (await platform.getTask({ params: { id } })).task
  } catch (error) {
    if (ClientError.is(error) && error.status === 404) return undefined
    throw error
  }
}

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
