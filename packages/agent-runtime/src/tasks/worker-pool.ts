import type { LeaseKeeper } from '../leases/create-lease-keeper.ts'
import { once } from '../concurrency/once.ts'
import { within } from '@homeward/kit'
import { silentLogger, type Logger } from '../ports/logger.ts'
import type { StoreSignals } from '../store/ports/store-signal.ts'
import type { TaskQueue } from './task-queue.ts'
import type { NewTask, StoredTask, TaskStore } from '../store/ports/task-store.ts'
import type { TaskWork } from './attempt.ts'
import { createAttempts } from './create-attempts.ts'
import { createWorkers, type Workers } from './create-workers.ts'
import { toStartedEvent } from './task-events.ts'
import { reasonOf } from '../ports/reason-of.ts'

/** Workers that take tasks from the store and carry them out (A7). */
export interface WorkerPool {
  /** Begins to work. Safe to call again. @throws what the queue cannot begin with; tasks are looked for all the same. */
  start(): Promise<void>
  /** Takes back tasks that were left, and takes none yet. Safe to call again. */
  prepare(): Promise<void>
  /** Looks for tasks now. */
  wake(): void
  /** Tells of a task that was put into the queue. Never rejects. */
  deliver(task: NewTask): Promise<void>
  /** Stops a task for good if it runs here, and waits until it has stopped, but not for long. */
  stop(taskId: string): Promise<void>
  /** Takes no more tasks, and gives those back that run. Safe to call twice. */
  close(): Promise<void>
}

/** What {@link createWorkerPool} is built from. */
export interface WorkerPoolOptions {
  readonly store: TaskStore & StoreSignals
  readonly leases: Pick<LeaseKeeper, 'owner' | 'lease' | 'hold' | 'isFresh' | 'renew'>
  readonly work: TaskWork
  /** Tasks at the same time; 0 for none. @default 4 */
  readonly concurrency?: number
  /** Tasks of one subject at the same time, in all processes together. @default 2 */
  readonly perSubject?: number
  /** How workers hear of tasks. @default by the signals of the store */
  readonly queue?: TaskQueue | undefined
  /** How long to wait at the most before looking again, in milliseconds. @default 1000, with a queue 5000 */
  readonly pollMs?: number
  /** How long closing waits for attempts to be given up, and then for the queue, in milliseconds. @default 5000 */
  readonly closeGraceMs?: number
  /** @default silent */
  readonly logger?: Logger
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: () => number
  /** Numbers in [0, 1), for spreading only. @default Math.random */
  readonly random?: () => number
}

/** Shortest time between two looks that nobody asked for, in milliseconds. */
const minPauseMs = 20

/**
 * Builds the workers of a process. p-queue bounds what runs at a time; the queue itself is the store.
 *
 * @example
 * const pool = createWorkerPool({ store, leases, work })
 * await pool.start()
 */
export function createWorkerPool(options: WorkerPoolOptions): WorkerPool {
  const { store, leases, queue, concurrency = 4, logger = silentLogger } = options
  const { now = Date.now, random = Math.random, pollMs = queue ? 5000 : 1000 } = options
  const { closeGraceMs = 5000 } = options
  let closing: Promise<void> | undefined
  let tickTimer: ReturnType<typeof setTimeout> | undefined
  let workers: Workers | undefined
  const pump = () => workers?.pump()
  const { deliver, closeQueue } = heedQueue(queue, {
    logger,
    closeGraceMs,
    isClosing: () => closing !== undefined,
  })

  async function planTick(): Promise<void> {
    const next = await store.nextTaskTime()
    plan(next === undefined ? pollMs : Date.parse(next) - now())
  }

  function plan(afterMs: number): void {
    clearTimeout(tickTimer)
    if (closing) return
    tickTimer = setTimeout(tick, pauseMs(afterMs, pollMs, random))
    tickTimer.unref?.()
  }

  function tick(): void {
    plan(pollMs)
    void workers?.sweep().then(pump)
  }

  async function prepare(): Promise<void> {
    const attempts = await createAttempts({
      store,
      leases,
      work: options.work,
      concurrency,
      now,
      random,
      logger,
      onFree: () => (queue ? undefined : pump()),
      onSettled(task) {
        if (task.status === 'queued') void deliver(task)
        if (task.parked) workers?.watchParked()
      },
    })
    if (closing) return
    workers = createWorkers({
      store,
      leases,
      attempts,
      claim: claimOf(options),
      hearsOfTasks: queue === undefined,
      deliver,
      onShort: planTick,
      onStuck: () => plan(pollMs),
      onError: failed,
      now,
      closeGraceMs,
    })
    await workers.sweep()
  }

  const prepareOnce = once(prepare)

  async function start(): Promise<void> {
    if (concurrency <= 0) return
    await prepareOnce()
    if (closing || !workers) return
    if (!queue) return pump()
    plan(pollMs) // first: while the queue cannot be reached, workers find tasks by their own looking
    await queue.start(workers.workOnTicket, concurrency)
  }

  const startOnce = once(start)

  async function close(): Promise<void> {
    clearTimeout(tickTimer)
    await workers?.close()
    await closeQueue()
  }

  function failed(what: string, error: unknown): void {
    if (!closing) logger.error(`${what}.`, { reason: reasonOf(error) })
  }

  return {
    start: () => (closing ? Promise.resolve() : startOnce()),
    prepare: async () => (closing || concurrency <= 0 ? undefined : prepareOnce()),
    wake: pump,
    deliver,
    stop: async (taskId) => workers?.stop(taskId),
    close: () => (closing ??= close()),
  }
}

/** A queue whose failures stop nothing: what it would tell, the workers find by their own looking. */
function heedQueue(
  queue: TaskQueue | undefined,
  context: { readonly logger: Logger; readonly closeGraceMs: number; readonly isClosing: () => boolean },
) {
  const { logger, closeGraceMs, isClosing } = context
  return {
    async deliver(task: NewTask): Promise<void> {
      try {
        await queue?.deliver(task)
      } catch (error) {
        if (!isClosing()) logger.error('Telling the queue of a task failed.', { reason: reasonOf(error) })
      }
    },
    /** It waits for the work that was begun, so it gets no longer than that. */
    async closeQueue(): Promise<void> {
      try {
        if (queue) await within(queue.close(), closeGraceMs)
      } catch (error) {
        logger.error('Closing the queue of tasks failed.', { reason: reasonOf(error) })
      }
    },
  }
}

function claimOf({ store, leases, perSubject = 2, now = Date.now }: WorkerPoolOptions) {
  return async (limit: number): Promise<readonly StoredTask[]> => {
    const at = new Date(now()).toISOString()
    return store.claimTasks({ lease: leases.lease(), now: at, limit, perSubject, toEvent: toStartedEvent })
  }
}

/** Spread, so that processes that started together do not look together. */
function pauseMs(wantedMs: number, pollMs: number, random: () => number): number {
  return Math.min(Math.max(wantedMs, minPauseMs), pollMs * (0.8 + 0.2 * random()))
}
