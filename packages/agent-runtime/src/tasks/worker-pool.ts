import type { LeaseKeeper } from '../leases/create-lease-keeper.ts'
import { silentLogger, type Logger } from '../ports/logger.ts'
import type { StoreSignals } from '../ports/store-signal.ts'
import type { TaskQueue } from '../ports/task-queue.ts'
import type { NewTask, StoredTask, TaskStore } from '../ports/task-store.ts'
import { RuntimeError } from '../runtime-error.ts'
import type { TaskWork } from './attempt.ts'
import { createAttempts, within, type Attempts } from './create-attempts.ts'
import { createCaretaker, type Caretaker } from './create-caretaker.ts'
import { createIntake, type Intake } from './create-intake.ts'
import { toStartedEvent } from './task-events.ts'

/** Workers that take tasks from the store and carry them out (A7). */
export interface WorkerPool {
  /** Begins to work. Safe to call again. */
  start(): Promise<void>
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
  readonly leases: Pick<LeaseKeeper, 'owner' | 'lease' | 'hold'>
  readonly work: TaskWork
  /** Tasks at the same time; 0 for none. @default 4 */
  readonly concurrency?: number
  /** Tasks of one subject at the same time, in all processes together. @default 2 */
  readonly perSubject?: number
  /** How workers hear of tasks. @default by the signals of the store */
  readonly queue?: TaskQueue | undefined
  /** How long to wait at the most before looking again, in milliseconds. @default 1000, with a queue 5000 */
  readonly pollMs?: number
  /** How long closing waits for attempts to be given up, in milliseconds. @default 5000 */
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
  let attempts: Attempts | undefined
  let starting: Promise<void> | undefined
  let closing: Promise<void> | undefined
  let unsubscribe = () => {}
  let tickTimer: ReturnType<typeof setTimeout> | undefined
  let caretaker: Caretaker | undefined
  let intake: Intake | undefined
  const pump = () => intake?.pump()

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
    void caretaker?.sweep().then(pump)
  }

  async function deliver(task: NewTask): Promise<void> {
    try {
      await queue?.deliver(task)
    } catch (error) {
      // It is in the store: the next look finds it.
      failed('Telling the queue of a task failed', error)
    }
  }

  async function start(): Promise<void> {
    if (concurrency <= 0) return
    attempts = await createAttempts({
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
        if (task.parked) caretaker?.watchParked()
      },
    })
    intake = createIntake({
      claim: claimOf(options),
      attempts,
      onShort: planTick,
      onError(error) {
        failed('Taking tasks failed', error)
        plan(pollMs)
      },
    })
    caretaker = createCaretaker({ store, deliver, conclude: attempts.conclude, now, onError: failed })
    unsubscribe = store.subscribe(({ topic }) => {
      if (topic === 'task' && !queue) pump()
      else if (topic === 'run') caretaker?.watchParked()
    })
    await caretaker.sweep()
    if (closing) return
    await queue?.start(intake.workOnTicket, concurrency)
    if (queue) plan(pollMs)
    else pump()
  }

  async function close(): Promise<void> {
    unsubscribe()
    clearTimeout(tickTimer)
    caretaker?.close()
    const closed = new RuntimeError('closed', 'Working on a task: the runtime was closed. It goes on later.')
    attempts?.giveUp(closed)
    // What was being taken meanwhile is given back too.
    const all = intake?.close().then(() => attempts?.ended())
    if (all) await within(all, options.closeGraceMs ?? 5000)
    await queue?.close()
  }

  function failed(what: string, error: unknown): void {
    if (!closing) logger.error(`${what}.`, { reason: error instanceof Error ? error.message : String(error) })
  }

  return {
    start: () => (closing ? Promise.resolve() : (starting ??= start())),
    wake: pump,
    deliver,
    stop: async (taskId) => attempts?.stop(taskId),
    close: () => (closing ??= close()),
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
