// Named import, so that tests that fake the global timers do not hold up writes.
import { setImmediate } from 'node:timers'
import type { Plan } from '../sql/plan.ts'
import { Undo } from '../sql/plan.ts'
import type { GroupTransactionOptions, GroupWrite } from './group-transaction.ts'
import { commitGroup } from './group-transaction.ts'
import type { Locks } from './locks.ts'
import { createLockTable } from './locks.ts'
import { mayTryAgain, pauseAfter } from './retries.ts'
import { runPlan } from './session.ts'
import { classify, isInDoubt, toPostgresFailure } from './to-postgres-failure.ts'
import type { WriterOptions } from './writer.ts'

/** Writes in one transaction at the most. */
const maxGroup = 64
/** How far down the queue a transaction looks for writes that can join it. */
const maxLook = 512

interface QueuedWrite<Signal> extends GroupWrite<Signal> {
  readonly signal: AbortSignal | undefined
  /** How often it failed for what passes. */
  failures: number
  /** Set once it failed in company: from then on it goes alone. */
  isApart: boolean
  refuse(error: unknown): void
}

/** Options of {@link createGroupWriter}. */
export interface GroupWriterOptions<Signal> extends WriterOptions<Signal>, GroupTransactionOptions {
  /** Number of transactions at the same time. */
  readonly lanes: number
}

/** Groups writes into transactions. */
export interface GroupWriter<Signal> {
  /** Runs a plan in a transaction. Resolves when the transaction is committed. `plan` may run more than once. */
  write<Result>(plan: () => Plan<Result, Signal>, locks: Locks, signal?: AbortSignal): Promise<Result>
  /** Resolves when no write is waiting or running. */
  drain(): Promise<void>
}

/**
 * Creates a writer that commits waiting writes together.
 *
 * A single write costs two round trips, which many writes share under load. A few transactions run at the same time,
 * for writes that need different locks. Writes with the same lock keep their order. A write rejects with a {@link
 * SqlFailure}.
 *
 * @example
 * await writer.write(() => plans.finishRun(finish), { alone: [`run ${finish.runId}`] })
 */
export function createGroupWriter<Signal>(options: GroupWriterOptions<Signal>): GroupWriter<Signal> {
  const queue: QueuedWrite<Signal>[] = []
  const held = createLockTable()
  let busy = 0
  let pausing = 0
  let isScheduled = false
  let whenIdle: (() => void)[] = []

  const pump = () => {
    isScheduled = false
    while (busy < options.lanes) {
      const group = takeGroup(queue, held.isFree)
      if (group.length === 0) break
      busy += 1
      for (const { locks } of group) held.take(locks)
      void commit(group).then(() => {
        busy -= 1
        pump()
      })
    }
    if (busy + pausing + queue.length > 0) return
    for (const resolve of whenIdle) resolve()
    whenIdle = []
  }
  const schedule = () => {
    if (!isScheduled) setImmediate(pump)
    isScheduled = true
  }

  const commit = async (group: readonly QueuedWrite<Signal>[]) => {
    try {
      const { answers, signals } = await commitGroup(options, group)
      options.emit(signals)
      for (const { locks } of group) held.release(locks)
      for (const answer of answers) answer()
    } catch (error) {
      if (isInDoubt(error)) options.emit(options.missed)
      tryAgain(group, error)
    }
  }
  // Locks are kept until all are back at the head of the queue, in their order: no later write may go first.
  const putBack = (writes: readonly QueuedWrite<Signal>[]) => {
    queue.unshift(...writes)
    for (const { locks } of writes) held.release(locks)
  }
  const giveUp = (write: QueuedWrite<Signal>, error: unknown) => {
    held.release(write.locks)
    write.refuse(error)
  }
  const tryAgain = (group: readonly QueuedWrite<Signal>[], error: unknown) => {
    const left: QueuedWrite<Signal>[] = []
    const failure = classify(error)
    const isPassing = failure === 'again' || failure === 'connection'
    for (const write of group) {
      // One of several took the others along: each once more, alone.
      if (failure !== 'connection') write.isApart = true
      if (isPassing) write.failures += 1
      const isLast = isPassing ? !mayTryAgain(error, write.failures) : group.length === 1
      if (isInDoubt(error) || isLast) giveUp(write, error)
      else left.push(write)
    }
    if (!isPassing || left.length === 0) return putBack(left)
    pausing += 1
    void pauseAfter(Math.max(...left.map((write) => write.failures)), options.random).then(() => {
      pausing -= 1
      putBack(left)
      schedule()
    })
  }

  return {
    write: <Result>(plan: () => Plan<Result, Signal>, locks: Locks, signal?: AbortSignal) =>
      new Promise<Result>((resolve, reject) => {
        const run: GroupWrite<Signal>['run'] = async (runStep, tell) => {
          const result = await runPlan(plan(), runStep, tell)
          return () => resolve(result)
        }
        const refuse = (error: unknown) => {
          if (error instanceof Undo) resolve(error.result as Result) // what the plan itself threw
          else reject(toPostgresFailure(error, 'Writing to Postgres'))
        }
        queue.push({ locks, signal, failures: 0, isApart: false, run, refuse })
        schedule()
      }),
    drain: () =>
      new Promise((resolve) => {
        whenIdle.push(resolve)
        schedule()
      }),
  }
}

/** Takes writes for one transaction out of the queue: those that no lock holds back, and no write before them. */
function takeGroup<Signal>(
  queue: QueuedWrite<Signal>[],
  isFree: (locks: Locks) => boolean,
): QueuedWrite<Signal>[] {
  const group: QueuedWrite<Signal>[] = []
  const left = createLockTable()
  let place = 0
  while (place < Math.min(queue.length, maxLook) && group.length < maxGroup) {
    const write = queue[place]
    if (write === undefined) break
    const mayJoin = group.length === 0 || (!write.isApart && group[0]?.isApart !== true)
    if (!mayJoin || !isFree(write.locks) || !left.isFree(write.locks)) {
      left.take(write.locks)
      place += 1
      continue
    }
    queue.splice(place, 1)
    if (write.signal?.aborted === true) write.refuse(write.signal.reason)
    else group.push(write)
  }
  return group
}
