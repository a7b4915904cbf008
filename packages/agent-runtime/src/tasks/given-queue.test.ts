import { expect, it, vi } from 'vitest'
import type { TaskQueue } from './task-queue.ts'
import type { StoredTask } from '../store/ports/task-store.ts'
import type { Attempt } from './attempt.ts'
import {
  completed,
  failed,
  gate,
  hasEnded,
  requestOf,
  startWorkers,
  temporaryFile,
  untilTask,
} from './testing/pool-harness.ts'

/** A queue that delivers when the test says so. */
function createTestQueue() {
  const told: Pick<StoredTask, 'id' | 'priority' | 'runAt'>[] = []
  const working = new Set<Promise<void>>()
  let work: (taskId: string) => Promise<void> = async () => {}
  const calls: string[] = []
  const queue: TaskQueue = {
    async start(given, concurrency) {
      calls.push(`start ${concurrency}`)
      work = given
    },
    deliver: async ({ id, priority, runAt }) => void told.push({ id, priority, runAt }),
    async close() {
      calls.push('close')
      await Promise.all(working)
    },
  }
  const hand = async (id: string) => {
    const delivery = work(id)
    working.add(delivery)
    await delivery
    working.delete(delivery)
  }
  return { queue, told, hand, calls }
}

it('A7: a given queue hears of each task, and work begins when it delivers', async () => {
  await using file = await temporaryFile()
  const { queue, told, hand, calls } = createTestQueue()
  await using one = startWorkers(file.path, { queue, concurrency: 3 })
  const { task } = await one.tasks.create(requestOf('x', { priority: 7 }))
  expect(calls).toEqual(['start 3'])
  expect(told).toEqual([{ id: task.id, priority: 7, runAt: task.created_at }])
  expect((await one.tasks.get(task.id)).status).toBe('queued')
  await hand(task.id)
  expect((await one.tasks.get(task.id)).status).toBe('completed')
  await hand(task.id) // twice, or for nothing
  expect((await one.tasks.get(task.id)).attempt).toBe(1)
})

it('A7: what is to be tried again is told to the queue with its time', async () => {
  await using file = await temporaryFile()
  const { queue, told, hand } = createTestQueue()
  await using one = startWorkers(file.path, { queue, execute: async () => failed('not now', true) })
  const { task } = await one.tasks.create(requestOf('x'))
  await hand(task.id)
  const kept = await one.store.findTask(task.id)
  expect(kept?.status).toBe('queued')
  expect(told.map(({ id, runAt }) => [id, runAt])).toEqual([
    [task.id, task.created_at],
    [task.id, kept?.runAt],
  ])
})

it('A7: a delivery takes the task that it names, and leaves those of other subjects to theirs', async () => {
  await using file = await temporaryFile()
  const { queue, hand } = createTestQueue()
  const order: string[] = []
  await using one = startWorkers(file.path, {
    queue,
    execute: async ({ input }) => {
      order.push(input)
      return completed()
    },
  })
  await one.tasks.create(requestOf('of a1'))
  const { task } = await one.tasks.create(requestOf('of a2', { agent_id: 'a2' }))
  await hand(task.id)
  expect(order).toEqual(['of a2'])
})

it('A7: a task whose delivery came while its subject had no room is carried out once there is', async () => {
  await using file = await temporaryFile()
  const { queue, hand } = createTestQueue()
  const order: string[] = []
  const first = gate<Attempt>()
  const begun = gate()
  await using one = startWorkers(file.path, {
    queue,
    perSubject: 1,
    execute: async ({ input }) => {
      order.push(input)
      begun.resolve()
      return input === 'a1' ? first.promise : completed()
    },
  })
  const ids: string[] = []
  for (const input of ['a1', 'a2', 'a3']) ids.push((await one.tasks.create(requestOf(input))).task.id)
  const delivered = hand(ids[0] ?? '')
  await begun.promise
  for (const id of ids.slice(1)) await hand(id) // its subject has no room
  expect(order).toEqual(['a1'])
  first.resolve(completed())
  await delivered
  for (const id of ids) await untilTask(one, id, hasEnded)
  expect(order).toEqual(['a1', 'a2', 'a3'])
})

it('A7: a task that another process makes room for is carried out where its delivery came in vain', async () => {
  await using file = await temporaryFile()
  const first = gate<Attempt>()
  const begun = gate()
  const [here, there] = [createTestQueue(), createTestQueue()]
  const options = {
    perSubject: 1,
    execute: async ({ input }: StoredTask) => {
      begun.resolve()
      return input === 'a1' ? first.promise : completed()
    },
  }
  await using one = startWorkers(file.path, { ...options, queue: here.queue })
  await using two = startWorkers(file.path, { ...options, queue: there.queue })
  const { task } = await one.tasks.create(requestOf('a1'))
  const held = await two.tasks.create(requestOf('a2'))
  const delivered = here.hand(task.id)
  await begun.promise
  await there.hand(held.task.id)
  first.resolve(completed())
  await delivered
  two.pool.wake() // two files hear nothing of each other; on Postgres the end of a task is told
  expect((await untilTask(two, held.task.id, hasEnded)).status).toBe('completed')
})

it('A7: closing gives back what runs and tells the queue of it', async () => {
  await using file = await temporaryFile()
  const { queue, told, hand, calls } = createTestQueue()
  const begun = gate()
  const one = startWorkers(file.path, {
    queue,
    execute: async (_, signal) => {
      begun.resolve()
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      return { kind: 'released' }
    },
  })
  const { task } = await one.tasks.create(requestOf('x'))
  void hand(task.id)
  await begun.promise
  await one.pool.close()
  expect(calls).toEqual(['start 4', 'close'])
  expect(told).toHaveLength(2)
  expect((await one.store.findTask(task.id))?.status).toBe('queued')
  await one[Symbol.asyncDispose]()
})

it('A7: a task is kept and carried out while the queue cannot be reached, and the queue is begun anew', async () => {
  await using file = await temporaryFile()
  const { queue, calls } = createTestQueue()
  const { start } = queue
  queue.start = vi.fn<TaskQueue['start']>(start).mockRejectedValueOnce(new Error('no connection'))
  await using one = startWorkers(file.path, { queue, pollMs: 20 })
  const { task } = await one.tasks.create(requestOf('x'))
  expect(one.problems).toEqual(['Starting tasks failed.'])
  expect((await untilTask(one, task.id, hasEnded)).status).toBe('completed')
  await one.tasks.create(requestOf('y'))
  expect(calls).toEqual(['start 4'])
})

it.each([
  ['does not end', () => new Promise<void>(() => {})],
  ['fails', () => Promise.reject(new Error('no connection'))],
])('A7: closing ends also when that of the queue %s', async (_, close) => {
  await using file = await temporaryFile()
  const { queue } = createTestQueue()
  const one = startWorkers(file.path, { queue: { ...queue, close }, closeGraceMs: 20 })
  await one.pool.start()
  await one[Symbol.asyncDispose]()
})

it('A7: cancelling stops what runs here, asks another process for what runs there, and stops its run', async () => {
  await using file = await temporaryFile()
  const begun = gate<AbortSignal>()
  const one = startWorkers(file.path, {
    execute: async (task, signal) => {
      await one.store.setTaskRun(task.id, one.owner, 'run-1')
      begun.resolve(signal)
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      return { kind: 'failed', failure: { code: 'cancelled', message: 'stopped', retryable: false } }
    },
  })
  await using two = startWorkers(file.path, { concurrency: 0 })
  const { task } = await one.tasks.create(requestOf('x'))
  const signal = await begun.promise
  expect(await two.tasks.cancel(task.id)).toMatchObject({ status: 'running' })
  expect(two.cancelledRuns).toEqual(['run-1'])
  await one.leases.renew()
  expect((await untilTask(one, task.id, hasEnded)).failure?.code).toBe('cancelled')
  expect(signal.aborted).toBe(true)
  await one[Symbol.asyncDispose]()
})
