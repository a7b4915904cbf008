import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import {
  completed,
  gate,
  hasEnded,
  passTime,
  requestOf,
  startWorkers,
  temporaryFile,
  untilTask,
} from './testing/pool-harness.ts'
import type { Attempt } from './attempt.ts'

const toFake = ['setTimeout', 'clearTimeout', 'Date'] as const
beforeEach(() => void vi.useFakeTimers({ toFake: [...toFake], now: Date.UTC(2026, 0, 1) }))
afterEach(() => void vi.useRealTimers())

/** The machine sleeps: the clock goes on, and no timer does. */
const sleepFor = (ms: number) => vi.setSystemTime(Date.now() + ms)

it('A7: a task goes on in its one attempt, however often the machine sleeps meanwhile', async () => {
  await using file = await temporaryFile()
  const held = gate<Attempt>()
  const given: string[] = []
  await using one = startWorkers(file.path, {
    async execute(_, signal) {
      signal.addEventListener('abort', () => given.push(String(signal.reason)))
      return held.promise
    },
  })
  const { task } = await one.tasks.create(requestOf('long'))
  await untilTask(one, task.id, ({ status }) => status === 'running')
  for (let night = 0; night < 4; night += 1) {
    sleepFor(8 * 3_600_000)
    await passTime(7000)
  }
  held.resolve(completed())
  const ended = await untilTask(one, task.id, hasEnded)
  expect([ended.status, ended.attempt, given]).toEqual(['completed', 1, []])
})

it('A7: what another process took while this one was stopped stays with that one', async () => {
  await using file = await temporaryFile()
  const held = gate<Attempt>()
  const given: string[] = []
  await using one = startWorkers(file.path, {
    async execute(_, signal) {
      signal.addEventListener('abort', () => held.resolve({ kind: 'released' }))
      await held.promise
      given.push(String(signal.reason))
      return { kind: 'released' }
    },
  })
  const { task } = await one.tasks.create(requestOf('long'))
  await untilTask(one, task.id, ({ status }) => status === 'running')
  const lease = { owner: 'another', until: new Date(Date.now() + 86_400_000).toISOString() }
  sleepFor(3_600_000)
  const now = new Date().toISOString()
  await one.store.reclaimTasks({ now, limit: 9 })
  await one.store.claimTasks({ lease, now, limit: 1, perSubject: 2 })
  await passTime(7000)
  expect(given).toEqual([expect.stringContaining('another process has taken over the task')])
  expect(await one.store.findTask(task.id)).toMatchObject({ status: 'running', attempt: 2, lease })
})
