import type { TaskRequest } from '@homeward/contract/agent-platform'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { vi } from 'vitest'
import { createLeaseKeeper, type LeaseKeeper } from '../../leases/create-lease-keeper.ts'
import type { RuntimeStore } from '../../store/ports/runtime-store.ts'
import type { StoredTask } from '../../store/ports/task-store.ts'
import { createSqliteStore } from '../../store/sqlite/create-sqlite-store.ts'
import { resultOf } from '../../testing/conformance-fixtures.ts'
import type { Attempt, TaskWork } from '../attempt.ts'
import { createTasks } from '../create-tasks.ts'
import type { Tasks } from '../tasks.ts'
import { createWorkerPool, type WorkerPool, type WorkerPoolOptions } from '../worker-pool.ts'

/** A process with workers over a database file, without agents: `execute` stands for them. */
interface TestWorkers extends AsyncDisposable {
  readonly store: RuntimeStore
  readonly pool: WorkerPool
  readonly tasks: Tasks
  readonly owner: string
  /** What the logger was told. */
  readonly problems: string[]
  /** Runs that were stopped for good. */
  readonly cancelledRuns: string[]
  readonly leases: LeaseKeeper
  /** Renews no leases and takes no tasks any more, like a process that hangs. */
  hang(): void
}

interface TestWorkersOptions extends Partial<WorkerPoolOptions> {
  readonly execute?: TaskWork['execute']
  readonly conclude?: TaskWork['conclude']
  readonly owner?: string
}

/** A folder for a database, removed at the end. */
export async function temporaryFile(): Promise<AsyncDisposable & { readonly path: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'homeward-tasks-'))
  return {
    path: join(folder, 'agents.db'),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  }
}

export function startWorkers(path: string, options: TestWorkersOptions = {}): TestWorkers {
  const { execute = async () => completed(), conclude = async () => undefined, ...rest } = options
  const store = options.store ? (options.store as RuntimeStore) : createSqliteStore({ path })
  const leases = createLeaseKeeper({ store, ...(options.owner !== undefined && { owner: options.owner }) })
  const problems: string[] = []
  const note = (message: string) => void problems.push(message)
  const logger = { warn: note, error: note }
  const pool = createWorkerPool({
    leases,
    work: { execute, conclude },
    logger,
    ...rest,
    store,
  })
  const cancelledRuns: string[] = []
  const tasks = createTasks({
    store,
    pool,
    logger,
    find: async ({ id }) => (id === 'nobody' ? undefined : {}),
    readFiles: async () => ({ files: [], contents: [] }),
    cancelRun: async (id) => void cancelledRuns.push(id),
    ...(options.now && { now: options.now }),
  })
  return {
    store,
    pool,
    tasks,
    owner: leases.owner,
    problems,
    cancelledRuns,
    hang() {
      leases.close()
      Object.assign(store, { claimTasks: async () => [], reclaimTasks: async () => [] })
    },
    leases,
    async [Symbol.asyncDispose]() {
      await pool.close()
      leases.close()
      await store.close()
    },
  }
}

/** An attempt that went well. */
export function completed(output = 'done'): Attempt {
  return { kind: 'completed', result: resultOf('r1', { output }) }
}

/** An attempt that did not. */
export function failed(message: string, retryable = false): Attempt {
  return { kind: 'failed', failure: { code: 'run_error', message, retryable } }
}

export function requestOf(task: string, changes: Partial<TaskRequest> = {}): TaskRequest {
  return { agent_id: 'a1', task, ...changes }
}

/** Waits until something holds that changes with tasks. */
export async function until<Value>(
  store: RuntimeStore,
  look: () => Promise<Value | undefined | false>,
): Promise<Value> {
  for (;;) {
    let end = () => {}
    const changed = new Promise<void>((resolve) => {
      end = store.subscribe(() => resolve())
    })
    const found = await look()
    if (found !== undefined && found !== false) {
      end()
      return found
    }
    await changed
    end()
  }
}

/** Waits until a task is in a state. */
export async function untilTask(
  { store }: Pick<TestWorkers, 'store'>,
  id: string,
  is: (task: StoredTask) => boolean,
): Promise<StoredTask> {
  return until(store, async () => {
    const task = await store.findTask(id)
    return task && is(task) ? task : undefined
  })
}

export const hasEnded = ({ finishedAt }: StoredTask) => finishedAt !== undefined

/** Lets faked time pass, and in between what the database does, which takes real turns of the event loop. */
export async function passTime(ms: number): Promise<void> {
  const stepMs = 100
  for (let passed = 0; passed < ms; passed += stepMs) {
    await vi.advanceTimersByTimeAsync(stepMs)
    for (let turn = 0; turn < 4; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  }
}

/** A promise and what settles it. */
export function gate<Value = void>() {
  return Promise.withResolvers<Value>()
}
