import { withTimeout, backoffMs } from '@homeward/kit'
import type { LeaseKeeper } from '../leases/create-lease-keeper.ts'
import type { Logger } from '../ports/logger.ts'
import type { StoredTask, TaskStore, TaskOutcome } from '../store/ports/task-store.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { Attempt, TaskWork } from './attempt.ts'
import { toEndedEvent } from './task-events.ts'
import { reasonOf } from '../ports/reason-of.ts'

/** Tasks that this process works on. */
export interface Attempts {
  /** How many more may be begun. */
  free(): number
  /** Whether none runs. */
  isIdle(): boolean
  /** Works on a task that was taken. Resolves when its attempt has been settled; never rejects. */
  begin(task: StoredTask): Promise<void>
  /** Settles a parked task whose run has ended. */
  conclude(task: StoredTask): Promise<void>
  /** Stops a task for good, if it runs here. Waits until it has stopped, but not for long. */
  stop(taskId: string): Promise<void>
  /** Gives up all that run, and whatever is begun from now on. */
  giveUp(reason: RuntimeError): void
  /** Resolves when none runs any more. */
  ended(): Promise<void>
}

/** What {@link createAttempts} is built from. */
interface AttemptsOptions {
  readonly store: TaskStore
  readonly leases: Pick<LeaseKeeper, 'owner' | 'hold'>
  readonly work: TaskWork
  readonly concurrency: number
  readonly now: () => number
  readonly random: () => number
  readonly logger: Logger
  /** A worker has become free. */
  readonly onFree: () => void
  /** What became of a task was written. */
  readonly onSettled: (task: StoredTask) => void
}

interface RunningAttempt {
  readonly controller: AbortController
  readonly settled: Promise<void>
}

/** How long stopping a task waits for it, in milliseconds. */
const stopGraceMs = 5000

/** Builds the bounded set of attempts of a process. p-queue is loaded here: a runtime without tasks does without it. */
export async function createAttempts(options: AttemptsOptions): Promise<Attempts> {
  const { store, leases, work, concurrency, now, random, logger } = options
  const { default: PQueue } = await import('p-queue')
  const slots = new PQueue({ concurrency })
  const running = new Map<string, RunningAttempt>()
  let givenUp: RuntimeError | undefined

  async function execute(task: StoredTask, signal: AbortSignal): Promise<Attempt> {
    if (signal.aborted) return { kind: 'released' }
    try {
      return await work.execute(task, signal)
    } catch (error) {
      if (signal.aborted) return { kind: 'released' }
      const message = reasonOf(error)
      return { kind: 'failed', failure: { code: 'run_error', message, retryable: true } }
    }
  }

  async function settle(task: StoredTask, owner: string | undefined, attempt: Attempt): Promise<void> {
    try {
      const outcome = toOutcome(task, attempt, now(), random)
      const at = new Date(now()).toISOString()
      const settled = await store.settleTask({ id: task.id, owner, outcome, now: at, toEvent: toEndedEvent })
      if (settled) options.onSettled(settled)
      else if (owner !== undefined)
        logger.warn('Another process took over a task while it was running here.', { id: task.id })
    } catch (error) {
      // Its lease runs out, and the next attempt finds the same run as it ended.
      logger.error('Saving the outcome of a task failed.', { id: task.id, reason: reasonOf(error) })
    }
  }

  function begin(task: StoredTask): Promise<void> {
    const { id } = task
    // Its lease ran out, and this very process has it again: what still goes on of the attempt before does not count.
    running.get(id)?.controller.abort(lost())
    const controller = new AbortController()
    if (givenUp) controller.abort(givenUp)
    const letGo = leases.hold('task', id, (why) => controller.abort(why === 'cancel' ? cancelled() : lost()))
    let settling: Promise<void> | undefined
    const worked = slots.add(async () => {
      const attempt = await execute(task, controller.signal)
      // Not waited for here: the worker is free, and what it takes next can be written together with this.
      if (running.get(id)?.controller === controller) settling = settle(task, leases.owner, attempt)
    })
    const settled = worked.then(async () => {
      options.onFree()
      await settling
      letGo()
      if (running.get(id)?.controller === controller) running.delete(id)
    })
    running.set(id, { controller, settled })
    return settled
  }

  return {
    begin,
    free: () => concurrency - slots.pending - slots.size,
    isIdle: () => running.size === 0,
    async conclude(task) {
      const attempt = await work.conclude(task)
      if (attempt && attempt.kind !== 'parked') await settle(task, undefined, attempt)
    },
    async stop(taskId) {
      const attempt = running.get(taskId)
      attempt?.controller.abort(cancelled())
      if (attempt) await withTimeout(attempt.settled, stopGraceMs)
    },
    giveUp(reason) {
      givenUp = reason
      for (const { controller } of running.values()) controller.abort(reason)
    },
    async ended() {
      while (running.size > 0) await Promise.all([...running.values()].map(({ settled }) => settled))
    },
  }
}

const cancelled = () => new RuntimeError('cancelled', 'Running a task failed: the task was canceled')
const lost = () =>
  new RuntimeError(
    'closed',
    'Running a task failed: another process has taken over the task. No action is needed.',
  )

/** Pause before the second attempt, in milliseconds. It doubles with each further one. */
const basePauseMs = 1000
/** Longest pause, in milliseconds, without its spread. */
const maxPauseMs = 300_000

/** What becomes of a task after an attempt. `random` gives a number from 0 to 1. */
export function toOutcome(
  task: Pick<StoredTask, 'attempt' | 'maxAttempts'>,
  attempt: Attempt,
  nowMs: number,
  random: () => number,
): TaskOutcome {
  if (attempt.kind !== 'failed') return attempt
  const { keepsRun, ...failed } = attempt
  if (!failed.failure.retryable) return failed
  const { attempt: begun, maxAttempts } = task
  if (begun < maxAttempts) {
    const pauseMs = backoffMs({
      failures: begun,
      baseMs: basePauseMs,
      capMs: maxPauseMs,
      spread: [1, 1.5],
      random,
    })
    const runAt = new Date(nowMs + Math.round(pauseMs)).toISOString()
    return { kind: 'retry', runAt, ...(keepsRun && { keepsRun }) }
  }
  const stops = keepsRun && { stopsRun: true as const }
  if (maxAttempts === 1) return { ...failed, ...stops }
  const message = `All ${maxAttempts} attempts failed. The last error: ${failed.failure.message}`
  return { ...failed, ...stops, failure: { code: 'max_attempts', message, retryable: true } }
}
