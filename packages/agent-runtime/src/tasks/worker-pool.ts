import type { LeaseKeeper } from '../leases/create-lease-keeper.ts'
import { once } from '../concurrency/once.ts'
import { withTimeout } from '@homeward/kit'
import { silentLogger, type Logger } from '../ports/logger.ts'
import type { StoreSignals } from '../store/ports/store-signal.ts'
import type { TaskQueue } from './task-queue.ts'
import type { NewTask, TaskStore } from '../store/ports/task-store.ts'
import type { TaskWork } from './attempt.ts'
import { createAttempts, type Attempts } from './create-attempts.ts'
import { createDispatcher, type Dispatcher } from './create-dispatcher.ts'
import { createTaskRecovery } from './create-task-recovery.ts'
import { toStartedEvent } from './task-events.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { reasonOf } from '../ports/reason-of.ts'

/** Workers that take tasks from the store and carry them out (A7). */
export interface WorkerPool {
  /** Begins to work. Safe to call again. @throws what the queue cannot begin with; tasks are looked for all the same. */
  start(): Promise<void>
  /** Takes back tasks that were left, and takes none yet. Safe to call again. */
  prepare(): Promise<void>
  /** Looks for tasks now. */
  wake(): void
  /**
   * Begins to work, for a task that was put into the store is there: workers hear of it by the store, or by the queue if
   * one is given. Never rejects.
   */
  announce(task?: NewTask): Promise<void>
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
  /** How workers are notified of tasks. @default by the signals of the store */
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
  const shared = { store, leases, now, random, logger, concurrency, work: options.work }
  let closing: Promise<void> | undefined
  let workers: Workers | undefined
  const { deliver, closeQueue } = heedQueue(queue, {
    logger,
    closeGraceMs,
    isClosing: () => closing !== undefined,
  })

  const looks = createLooks(pollMs, random, () => {
    looks.plan(pollMs)
    void recovery.sweep().then(() => workers?.dispatcher.pump())
  })

  async function planLook(): Promise<void> {
    const next = await store.nextTaskTime()
    looks.plan(next === undefined ? pollMs : Date.parse(next) - now())
  }

  const recovery = createTaskRecovery({
    ...shared,
    deliver,
    conclude: async (task) => workers?.attempts.conclude(task),
    onError: failed,
  })

  async function prepare(): Promise<void> {
    const attempts = await createAttempts({
      ...shared,
      onFree: () => workers?.dispatcher.resume(),
      onSettled(task) {
        if (task.status === 'queued') void deliver(task)
        if (task.parked) recovery.watchParked()
      },
    })
    if (closing) return
    const dispatcher = createDispatcher({
      claim: claimOf(options),
      isQueued: async (id) => (await store.findTask(id))?.status === 'queued',
      attempts,
      hasTickets: queue !== undefined,
      onShort: planLook,
      onError(error) {
        failed('Claiming tasks failed', error)
        looks.plan(pollMs)
      },
    })
    const unsubscribe = store.subscribe(({ topic }) => {
      if (topic === 'task') dispatcher.resume()
      else if (topic === 'run') recovery.watchParked()
    })
    workers = { attempts, dispatcher, unsubscribe }
    await recovery.sweep()
  }

  const prepareOnce = once(prepare)

  async function start(): Promise<void> {
    if (concurrency <= 0) return
    await prepareOnce()
    if (closing || !workers) return
    const { pump, workOnTicket } = workers.dispatcher
    if (!queue) return pump()
    looks.plan(pollMs) // first: while the queue cannot be reached, workers find tasks by their own looking
    await queue.start(workOnTicket, concurrency)
  }

  const startOnce = once(start)
  const begin = () => (closing ? Promise.resolve() : startOnce())

  async function close(): Promise<void> {
    looks.close()
    recovery.close()
    if (workers) await stopWorkers(workers, closeGraceMs)
    await closeQueue()
  }

  function failed(what: string, error: unknown): void {
    if (!closing) logger.error(`${what}.`, { reason: reasonOf(error) })
  }

  return {
    start: begin,
    prepare: async () => (closing || concurrency <= 0 ? undefined : prepareOnce()),
    wake: () => workers?.dispatcher.pump(),
    async announce(task) {
      await begin().catch((error: unknown) => failed('Starting tasks failed', error))
      if (task) await deliver(task)
    },
    stop: async (taskId) => workers?.attempts.stop(taskId),
    close: () => (closing ??= close()),
  }
}

interface Workers {
  readonly attempts: Attempts
  readonly dispatcher: Dispatcher
  readonly unsubscribe: () => void
}

/** Takes nothing more, and gives back what runs; waits for it, but not for long. */
async function stopWorkers({ attempts, dispatcher, unsubscribe }: Workers, graceMs: number): Promise<void> {
  unsubscribe()
  attempts.giveUp(
    new RuntimeError(
      'closed',
      'Running a task failed: the runtime was closed. The task resumes when a runtime starts again.',
    ),
  )
  // What was being taken meanwhile is given back too.
  await withTimeout(
    dispatcher.close().then(() => attempts.ended()),
    graceMs,
  )
}

function claimOf({ store, leases, perSubject = 2, now = Date.now }: WorkerPoolOptions) {
  return async (limit: number, ticketsFor?: readonly string[]) =>
    store.claimTasks({
      lease: leases.lease(),
      now: new Date(now()).toISOString(),
      limit,
      perSubject,
      ...(ticketsFor && { ticketsFor }),
      toEvent: toStartedEvent,
    })
}

/** A timer for the next look. Looks are spread, so that processes that started together do not look together. */
function createLooks(pollMs: number, random: () => number, look: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isClosed = false
  return {
    plan(afterMs: number): void {
      clearTimeout(timer)
      if (isClosed) return
      timer = setTimeout(look, Math.min(Math.max(afterMs, minPauseMs), pollMs * (0.8 + 0.2 * random())))
      timer.unref?.()
    },
    close(): void {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

/** A queue whose failures stop nothing: tasks that it does not tell of are found by the workers' own looking. */
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
        if (!isClosing()) logger.error('Adding a task to the queue failed.', { reason: reasonOf(error) })
      }
    },
    /** It waits for the work that was begun, so it gets no longer than that. */
    async closeQueue(): Promise<void> {
      try {
        if (queue) await withTimeout(queue.close(), closeGraceMs)
      } catch (error) {
        logger.error('Closing the queue of tasks failed.', { reason: reasonOf(error) })
      }
    },
  }
}
