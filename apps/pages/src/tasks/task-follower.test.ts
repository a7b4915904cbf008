import type { Task } from '@homeward/contract/agent-platform'
import { InfiniteQueryObserver, QueryClient } from '@tanstack/react-query'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { followTasks, type TaskFollower, type TaskPage, toRows } from './task-follower.ts'

const queryKey: readonly unknown[] = ['tasks']
const taskOf = (number: number, status: Task['status'] = 'queued') =>
  ({ id: `t${number}`, status, created_at: new Date(number).toISOString() }) as Task // all that a list looks at

/** A server of ten tasks, two on a page, newest first; pages come when the test lets them. */
function createServer() {
  const tasks = new Map(Array.from({ length: 10 }, (_, index) => [`t${index}`, taskOf(index)]))
  const pages: (() => void)[] = []
  const asked: string[] = []
  const aborted: string[] = []
  return {
    tasks,
    asked,
    aborted,
    readPage: (cursor: number, signal: AbortSignal) => {
      asked.push(`page ${cursor}`)
      signal.addEventListener('abort', () => aborted.push(`page ${cursor}`))
      const all = [...tasks.values()].toReversed() // what the server knows as it is asked
      const next = cursor + 2 < all.length ? String(cursor + 2) : undefined
      const page: TaskPage = { tasks: all.slice(cursor, cursor + 2), next }
      return new Promise<TaskPage>((resolve) => pages.push(() => resolve(page)))
    },
    async readTask(id: string) {
      asked.push(id)
      return tasks.get(id)
    },
    async letPage() {
      pages.shift()?.()
      await vi.advanceTimersByTimeAsync(1)
    },
  }
}

let server: ReturnType<typeof createServer>
let follower: TaskFollower
let list: InfiniteQueryObserver<TaskPage, Error, Task[], readonly unknown[], string | undefined>

beforeEach(async () => {
  vi.useFakeTimers()
  server = createServer()
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  list = new InfiniteQueryObserver(queries, {
    queryKey,
    queryFn: ({ signal, pageParam }) => server.readPage(Number(pageParam ?? 0), signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    select: toRows,
  })
  list.subscribe(() => {})
  await vi.advanceTimersByTimeAsync(1)
  await server.letPage()
  follower = followTasks({
    queries,
    list: () => ({ queryKey, filter: {} }),
    readTask: (id) => server.readTask(id),
  })
  server.asked.length = 0
})
afterEach(() => {
  follower.close()
  vi.useRealTimers()
})

const shown = () => list.getCurrentResult().data?.map(({ id, status }) => `${id} ${status}`)
const change = (number: number, status: Task['status'] = 'completed') => {
  server.tasks.set(`t${number}`, taskOf(number, status))
  follower.changed(`t${number}`)
}

describe('a list of tasks that is followed', () => {
  it('reads what has changed alone, and all of a moment together', async () => {
    change(9)
    change(8)
    change(10, 'running')
    await vi.advanceTimersByTimeAsync(500)
    expect(shown()).toEqual(['t10 running', 't9 completed', 't8 completed'])
    expect(server.asked).toEqual(['t9', 't8', 't10'])
  })

  it('gives up no page that is being read, and loses neither it nor the change', async () => {
    const next = list.fetchNextPage()
    change(9)
    await vi.advanceTimersByTimeAsync(5000)
    await server.letPage()
    await next
    await vi.advanceTimersByTimeAsync(500)
    expect(shown()).toEqual(['t9 completed', 't8 queued', 't7 queued', 't6 queued'])
    expect(server.aborted).toEqual([])
  })

  it('lets pages come while tasks change all the time', async () => {
    for (let page = 0; page < 4; page += 1) {
      const next = list.fetchNextPage({ cancelRefetch: false })
      for (let times = 0; times < 20; times += 1) {
        change(9, times % 2 === 0 ? 'running' : 'queued')
        await vi.advanceTimersByTimeAsync(100)
      }
      await server.letPage()
      await next
    }
    await vi.advanceTimersByTimeAsync(500)
    expect(shown()).toHaveLength(10)
    expect(server.aborted).toEqual([])
  })

  it('reads the list again instead of very many single tasks', async () => {
    for (let number = 10; number < 60; number += 1) change(number)
    await vi.advanceTimersByTimeAsync(500)
    await server.letPage()
    expect(shown()).toEqual(['t59 completed', 't58 completed'])
    expect(server.asked).toEqual(['page 0'])
  })

  it('goes on without a task that is gone, and tries again what failed', async () => {
    server.tasks.delete('t9')
    follower.changed('t9')
    change(8)
    await vi.advanceTimersByTimeAsync(500)
    expect(shown()).toEqual(['t9 queued', 't8 completed'])

    vi.spyOn(server, 'readTask').mockRejectedValueOnce(new Error('down'))
    change(8, 'failed')
    await vi.advanceTimersByTimeAsync(500)
    expect(shown()).toEqual(['t9 queued', 't8 completed'])
    change(10)
    await vi.advanceTimersByTimeAsync(500)
    expect(shown()).toEqual(['t10 completed', 't9 queued', 't8 failed'])
  })

  it('does nothing more once it is closed', async () => {
    change(9)
    follower.close()
    change(8)
    await vi.advanceTimersByTimeAsync(5000)
    expect(server.asked).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
  })
})
