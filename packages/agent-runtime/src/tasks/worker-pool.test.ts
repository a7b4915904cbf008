import { afterEach, expect, it, vi } from 'vitest'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { StoredTask } from '../store/ports/task-store.ts'
import { taskOf } from '../testing/tasks/task-fixtures.ts'
import type { Attempt } from './attempt.ts'
import {
  completed,
  failed,
  gate,
  hasEnded,
  passTime,
  requestOf,
  startWorkers,
  temporaryFile,
  until,
  untilTask,
} from './testing/pool-harness.ts'

afterEach(() => void vi.useRealTimers())

/** An attempt that ends when it is told to, or given up. */
function heldAttempt() {
  const held = gate<Attempt>()
  const begun = gate<AbortSignal>()
  return {
    finish: held.resolve,
    begun: begun.promise,
    execute: (_: StoredTask, signal: AbortSignal): Promise<Attempt> => {
      begun.resolve(signal)
      signal.addEventListener('abort', () => held.resolve({ kind: 'released' }))
      return held.promise
    },
  }
}

it('A7: carries out a task and writes into the journal what happened', async () => {
  await using file = await temporaryFile()
  await using one = startWorkers(file.path, {
    execute: async ({ input }) => (input === 'bad' ? failed('it broke') : completed(input)),
  })
  const { task, created } = await one.tasks.create(requestOf('good'))
  expect([created, task.status, task.attempt, task.input]).toEqual([true, 'queued', 0, 'good'])
  const bad = await one.tasks.create(requestOf('bad'))
  await untilTask(one, task.id, hasEnded)
  await untilTask(one, bad.task.id, hasEnded)
  expect(await one.tasks.get(task.id)).toMatchObject({
    status: 'completed',
    attempt: 1,
    started_at: expect.any(String),
    finished_at: expect.any(String),
    result: { output: 'good' },
  })
  expect(await one.tasks.get(bad.task.id)).toMatchObject({
    status: 'failed',
    failure: { code: 'run_error', message: 'it broke', retryable: false },
  })
  const events = await one.store.listEvents({ limit: 99 })
  const of = (id: string) => events.filter(({ data }) => data['task_id'] === id).map(({ type }) => type)
  expect(of(task.id)).toEqual(['task.created', 'task.started', 'task.completed'])
  expect(of(bad.task.id)).toEqual(['task.created', 'task.started', 'task.failed'])
  expect(JSON.stringify(events)).not.toContain('"input"')
})

it('A7: runs no more at a time than there are workers, and no more of a subject than allowed', async () => {
  await using file = await temporaryFile()
  let now = 0
  let most = 0
  const ofSubject = new Map<string, number>()
  let mostOfSubject = 0
  const execute = async ({ subject }: StoredTask) => {
    most = Math.max(most, (now += 1))
    ofSubject.set(subject.id, (ofSubject.get(subject.id) ?? 0) + 1)
    mostOfSubject = Math.max(mostOfSubject, ofSubject.get(subject.id) ?? 0)
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    ofSubject.set(subject.id, (ofSubject.get(subject.id) ?? 0) - 1)
    now -= 1
    return completed()
  }
  await using one = startWorkers(file.path, { execute, concurrency: 5, perSubject: 2 })
  const ids = await Promise.all(
    Array.from({ length: 60 }, async (_, index) => {
      const { task } = await one.tasks.create(requestOf('x', { agent_id: `a${index % 4}` }))
      return task.id
    }),
  )
  for (const id of ids) expect((await untilTask(one, id, hasEnded)).status).toBe('completed')
  expect([most, mostOfSubject]).toEqual([5, 2])
})

it('A7: two pools over one file carry out each task once, and share the limit of a subject', async () => {
  await using file = await temporaryFile()
  const worked: string[] = []
  const running = new Set<string>()
  let most = 0
  const execute = async ({ id }: StoredTask) => {
    worked.push(id)
    running.add(id)
    most = Math.max(most, running.size)
    await new Promise((resolve) => setImmediate(resolve))
    running.delete(id)
    return completed()
  }
  await using one = startWorkers(file.path, { execute, concurrency: 4, perSubject: 3 })
  await using two = startWorkers(file.path, { execute, concurrency: 4, perSubject: 3 })
  await Promise.all([one.pool.start(), two.pool.start()])
  const created = await Promise.all(
    Array.from({ length: 40 }, (_, index) => (index % 2 ? one : two).tasks.create(requestOf('x'))),
  )
  for (const { task } of created) {
    one.pool.wake()
    two.pool.wake()
    await until(one.store, async () => hasEnded((await two.store.findTask(task.id))!))
  }
  expect(worked.toSorted()).toEqual(created.map(({ task }) => task.id).toSorted())
  expect(most).toBeLessThanOrEqual(3)
})

it('A7: a subject with 10,000 tasks does not hold up the one task of another', async () => {
  await using file = await temporaryFile()
  const order: string[] = []
  const execute = async ({ subject }: StoredTask) => {
    order.push(subject.id)
    return completed()
  }
  await using one = startWorkers(file.path, { execute, concurrency: 1 })
  const many = Array.from({ length: 10_000 }, (_, index) => taskOf(`t${index}`, { priority: 100 }))
  await Promise.all(many.map((task) => one.store.insertTask(task, [])))
  await one.store.insertTask(taskOf('single', { subject: { kind: 'agent', id: 'other' } }), [])
  await one.pool.start()
  await untilTask(one, 'single', hasEnded)
  expect(order.slice(0, 2)).toContain('other')
})

it('A7: a lease that expires goes back to queued, and the next attempt is counted', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  await using file = await temporaryFile()
  const hung = heldAttempt()
  await using dead = startWorkers(file.path, { execute: hung.execute })
  const { task } = await dead.tasks.create(requestOf('x'))
  await hung.begun
  dead.hang()
  const attempts: number[] = []
  await using alive = startWorkers(file.path, {
    execute: async ({ attempt, runCount }) => {
      attempts.push(attempt, runCount)
      return completed('by the other')
    },
  })
  await alive.pool.start()
  await passTime(19_000)
  expect(attempts).toEqual([])
  const ended = untilTask(alive, task.id, hasEnded)
  await passTime(2500)
  expect((await ended).result).toMatchObject({ output: 'by the other' })
  expect(attempts).toEqual([2, 0])
  hung.finish(completed('too late'))
  await dead.pool.close()
  expect((await alive.tasks.get(task.id)).result).toMatchObject({ output: 'by the other' })
  expect(dead.problems).toContain('Another process took over a task while it was running here.')
})

it('A7: an attempt whose lease ran out does not count, also when this very process has the task again', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  await using file = await temporaryFile()
  const attempts: { readonly signal: AbortSignal; finish(attempt: Attempt): void }[] = []
  await using one = startWorkers(file.path, {
    execute: async (_, signal) => {
      const { promise, resolve } = gate<Attempt>()
      attempts.push({ signal, finish: resolve })
      return promise
    },
  })
  const { task } = await one.tasks.create(requestOf('x'))
  await untilTask(one, task.id, ({ status }) => status === 'running')
  const again = untilTask(one, task.id, ({ attempt }) => attempt === 2)
  // another process, which this one did not hear for a while
  await one.store.reclaimTasks({ now: new Date(Date.now() + 21_000).toISOString(), limit: 9 })
  await passTime(1500)
  await again
  expect(attempts.map(({ signal }) => signal.aborted)).toEqual([true, false])
  attempts[0]?.finish(completed('first'))
  attempts[1]?.finish(completed('second'))
  expect((await untilTask(one, task.id, hasEnded)).result).toMatchObject({ output: 'second' })
})

it('A7: a task whose process dies again and again fails with max_attempts', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  await using file = await temporaryFile()
  await using one = startWorkers(file.path, { concurrency: 1 })
  await one.store.insertTask(taskOf('t1', { maxAttempts: 1, createdAt: new Date().toISOString() }), [])
  const until10 = new Date(Date.now() + 10_000).toISOString()
  const lease = { owner: 'dead', until: until10 }
  await one.store.claimTasks({ lease, now: new Date().toISOString(), limit: 1, perSubject: 9 })
  await one.pool.start()
  const ended = untilTask(one, 't1', hasEnded)
  await passTime(11_500)
  expect((await ended).failure).toMatchObject({ code: 'max_attempts', retryable: true })
  const [event] = await one.store.listEvents({ type: 'task.failed', limit: 1 })
  expect(event?.data).toMatchObject({ task_id: 't1', code: 'max_attempts' })
})

it('A7: what may pass by itself is tried again, later each time, and then fails with max_attempts', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  await using file = await temporaryFile()
  const begun: { at: number; runCount: number }[] = []
  await using one = startWorkers(file.path, {
    random: () => 0.999,
    execute: async ({ runCount }) => {
      begun.push({ at: Date.now(), runCount })
      return failed('the provider is down', true)
    },
  })
  const { task } = await one.tasks.create(requestOf('x', { max_attempts: 4 }))
  const ended = untilTask(one, task.id, hasEnded)
  await passTime(20_000)
  expect((await ended).failure).toEqual({
    code: 'max_attempts',
    message: 'All 4 attempts failed. The last error: the provider is down',
    retryable: true,
  })
  expect(begun.map(({ runCount }) => runCount)).toEqual([0, 1, 2, 3])
  const pauses = begun.slice(1).map(({ at }, index) => at - (begun[index]?.at ?? 0))
  for (const [index, wanted] of [1500, 3000, 6000].entries()) {
    expect(pauses[index]).toBeGreaterThanOrEqual(wanted - 1)
    expect(pauses[index]).toBeLessThan(wanted + 600)
  }
})

it('A7: an exception of the work is a failure that is tried again, not the end of the workers', async () => {
  await using file = await temporaryFile()
  let calls = 0
  await using one = startWorkers(file.path, {
    execute: async () => {
      calls += 1
      throw new Error('boom')
    },
  })
  const { task } = await one.tasks.create(requestOf('x', { max_attempts: 1 }))
  expect((await untilTask(one, task.id, hasEnded)).failure).toMatchObject({
    code: 'run_error',
    message: 'boom',
  })
  expect(calls).toBe(1)
})

it('A7: closing gives back what runs, without counting the attempt, and the next start goes on at once', async () => {
  await using file = await temporaryFile()
  const held = heldAttempt()
  const one = startWorkers(file.path, { execute: held.execute })
  const { task } = await one.tasks.create(requestOf('x'))
  const signal = await held.begun
  await one.pool.close()
  const { reason } = signal as { reason: unknown }
  expect(RuntimeError.is(reason) && reason.code).toBe('closed')
  const given = await one.store.findTask(task.id)
  expect([given?.status, given?.attempt, given?.lease]).toEqual(['queued', 0, undefined])
  await one[Symbol.asyncDispose]()
  await using two = startWorkers(file.path)
  await two.pool.start()
  expect((await untilTask(two, task.id, hasEnded)).attempt).toBe(1)
})

it('A7: what is taken while the pool closes is given back too', async () => {
  await using file = await temporaryFile()
  let executed = 0
  const one = startWorkers(file.path, {
    execute: async () => {
      executed += 1
      return completed()
    },
  })
  await one.pool.start()
  await one.store.insertTask(taskOf('t1'), [])
  // The signal has made the pool ask for tasks; its answer is on its way.
  await one.pool.close()
  const task = await one.store.findTask('t1')
  expect([task?.status, task?.lease, executed]).toEqual(['queued', undefined, 0])
  await one[Symbol.asyncDispose]()
})

it('A7: closing does not wait for work that ignores its signal, whose lease runs out instead', async () => {
  await using file = await temporaryFile()
  const begun = gate()
  const never = gate<Attempt>()
  const one = startWorkers(file.path, {
    closeGraceMs: 1,
    execute: () => {
      begun.resolve()
      return never.promise
    },
  })
  const { task } = await one.tasks.create(requestOf('x'))
  await begun.promise
  await one.pool.close()
  expect((await one.store.findTask(task.id))?.lease?.owner).toBe(one.owner)
  never.resolve(completed())
  await one[Symbol.asyncDispose]()
})

it('A7: goes on when the store fails for a while', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  await using file = await temporaryFile()
  await using one = startWorkers(file.path)
  const claim = vi.spyOn(one.store, 'claimTasks').mockRejectedValue(new RuntimeError('storage_error', 'busy'))
  const { task } = await one.tasks.create(requestOf('x'))
  await passTime(2000)
  expect(one.problems).toContain('Claiming tasks failed.')
  claim.mockRestore()
  const ended = untilTask(one, task.id, hasEnded)
  await passTime(1500)
  expect((await ended).status).toBe('completed')
})

it('A7: without workers tasks are kept and left to others', async () => {
  await using file = await temporaryFile()
  await using one = startWorkers(file.path, { concurrency: 0 })
  const { task } = await one.tasks.create(requestOf('x'))
  await using two = startWorkers(file.path)
  expect((await one.tasks.get(task.id)).status).toBe('queued')
  await two.pool.start()
  expect((await untilTask(two, task.id, hasEnded)).status).toBe('completed')
})

it('A7: takes no task of a store that others go on with, when it was closed while it started', async () => {
  await using file = await temporaryFile()
  await using one = startWorkers(file.path)
  const subscribe = vi.spyOn(one.store, 'subscribe')
  const starting = one.pool.start()
  await one.pool.close()
  await starting
  expect(subscribe).not.toHaveBeenCalled()
})
