import { inspect } from 'node:util'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import type { TaskQueue } from '../../tasks/task-queue.ts'
import type { TestDatabase } from '../../store/postgres/testing/test-database.ts'
import { createTestDatabase } from '../../store/postgres/testing/test-database.ts'
import { createGraphileQueue, RuntimeError } from './index.ts'

let database: TestDatabase
let queues: TaskQueue[] = []
let schemas = 0

beforeAll(async () => {
  database = await createTestDatabase()
})
afterEach(async () => {
  await Promise.all(queues.map((queue) => queue.close()))
  queues = []
})
afterAll(() => database.drop())

const createQueue = (schema: string) => {
  const queue = createGraphileQueue({ connectionString: database.connectionString, schema, pollMs: 50 })
  queues.push(queue)
  return queue
}
const newSchema = () => `jobs${(schemas += 1)}`
const task = (id: string, priority = 0, runAt = new Date(0).toISOString()) => ({ id, priority, runAt })

/** Work that says what it was given, and ends when it is told to. */
function createWork() {
  const begun: string[] = []
  let ends: { readonly id: string; readonly resolve: () => void }[] = []
  const waiting: { readonly count: number; readonly resolve: () => void }[] = []
  return {
    begun,
    work: (id: string) =>
      new Promise<void>((resolve) => {
        begun.push(id)
        ends.push({ id, resolve })
        for (const { count, resolve: reached } of waiting) if (begun.length >= count) reached()
      }),
    end: (id: string) => {
      for (const one of ends.filter((work) => work.id === id)) one.resolve()
      ends = ends.filter((work) => work.id !== id)
    },
    until: (count: number) =>
      begun.length >= count
        ? Promise.resolve()
        : new Promise<void>((resolve) => waiting.push({ count, resolve })),
  }
}

it('A7: delivers each task to one of two processes, those with a larger priority first', async () => {
  const schema = newSchema()
  const [here, there] = [createQueue(schema), createQueue(schema)]
  await here.deliver(task('low', -5))
  await here.deliver(task('high', 5))
  await there.deliver(task('middle'))
  const { begun, work, end, until } = createWork()
  await here.start(work, 1)
  for (const count of [1, 2, 3]) {
    await until(count)
    end(begun[count - 1] ?? '')
  }
  expect(begun).toEqual(['high', 'middle', 'low'])
  await there.start(work, 1)
  await there.deliver(task('next'))
  await until(4)
  end('next')
  expect(begun).toHaveLength(4)
})

it('refuses fewer connections than one that listens and one that works', () => {
  const create = (maxConnections: number) => () =>
    createGraphileQueue({ connectionString: 'postgres://127.0.0.1/none', maxConnections })
  for (const count of [1, 0, 2.5, Number.NaN])
    expect(create(count)).toThrow('"maxConnections" must be an integer of at least 2')
  expect(create(2)).not.toThrow()
})

it('runs no more at a time than allowed, and closing waits for what was begun', async () => {
  const queue = createQueue(newSchema())
  const { begun, work, end, until } = createWork()
  await queue.start(work, 2)
  for (const id of ['a', 'b', 'c', 'd']) await queue.deliver(task(id))
  await until(2)
  end(begun[0] ?? '')
  await until(3)
  expect(begun).toHaveLength(3)
  let isClosed = false
  const closing = queue.close().then(() => (isClosed = true))
  expect(isClosed).toBe(false)
  end(begun[1] ?? '')
  end(begun[2] ?? '')
  await closing
  expect(begun).toHaveLength(3)
})

it('delivers a task that is put back while another ticket for it is held, and one that waits once', async () => {
  const queue = createQueue(newSchema())
  await queue.deliver(task('a'))
  await queue.deliver(task('a'))
  const { begun, work, end, until } = createWork()
  await queue.start(work, 2)
  await until(1)
  await queue.deliver(task('a'))
  await until(2)
  expect(begun).toEqual(['a', 'a'])
  end('a')
})

it('does not deliver before the time', async () => {
  const queue = createQueue(newSchema())
  const { work, end, until } = createWork()
  const begunAt = new Map<string, number>()
  await queue.start(async (id) => {
    begunAt.set(id, Date.now())
    await work(id)
  }, 2)
  const dueAt = Date.now() + 300
  await queue.deliver(task('later', 9, new Date(dueAt).toISOString()))
  await queue.deliver(task('now'))
  await until(2)
  end('now')
  end('later')
  expect(begunAt.get('later')).toBeGreaterThanOrEqual(dueAt)
})

/** Looks who listens to Postgres: a queue that has begun does so soon, and hears of migrations only then. */
async function openListeners() {
  const admin = new Client({ connectionString: database.connectionString })
  await admin.connect()
  onTestFinished(() => admin.end())
  const listeners = async (): Promise<readonly { readonly pid: number }[]> =>
    (await admin.query("select pid from pg_stat_activity where query like 'LISTEN %' order by pid")).rows
  return { listeners, first: () => vi.waitUntil(async () => (await listeners())[0], { timeout: 60_000 }) }
}

it('goes on delivering when a graphile-worker of another program in the same database is migrated', async () => {
  const queue = createQueue(newSchema())
  const { begun, work, end, until } = createWork()
  await queue.start(work, 2)
  const { listeners, first } = await openListeners()
  const before = await first()
  await createQueue(newSchema()).deliver(task('elsewhere')) // its first use migrates its schema
  await vi.waitUntil(async () => (await listeners()).some(({ pid }) => pid !== before.pid), {
    timeout: 60_000,
  })
  await queue.deliver(task('a'))
  await until(1)
  end('a')
  expect(begun).toEqual(['a'])
  expect(process.exitCode).toBeUndefined()
})

it('closes while its graphile-worker rests, stopped by the migration of another one', async () => {
  const queue = createQueue(newSchema())
  const { work } = createWork()
  await queue.start(work, 2)
  await (await openListeners()).first()
  const { promise: stopped, resolve } = Promise.withResolvers<void>()
  const { setTimeout: realSetTimeout } = globalThis
  vi.spyOn(globalThis, 'setTimeout').mockImplementation((callback, ms, ...rest) => {
    if (ms === 1000) resolve()
    return realSetTimeout(callback, ms === 1000 ? 60_000 : ms, ...rest)
  })
  await createQueue(newSchema()).deliver(task('elsewhere'))
  await stopped
  await expect(queue.close()).resolves.toBeUndefined()
})

it('says what to do when Postgres cannot be reached, without the password', async () => {
  const queue = createGraphileQueue({ connectionString: 'postgres://me:sesame-open-17@127.0.0.1:1/none' })
  const error: unknown = await queue.deliver(task('a')).catch((thrown: unknown) => thrown)
  expect(RuntimeError.is(error) && [error.code, error.retryable]).toEqual(['storage_error', true])
  expect(inspect(error, { depth: 9 })).not.toContain('sesame')
  await queue.close()
  await expect(queue.deliver(task('a'))).rejects.toMatchObject({ code: 'closed' })
})
