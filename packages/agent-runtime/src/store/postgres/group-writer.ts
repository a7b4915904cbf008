// Named imports, so that tests that fake the global timers do not hold up commits.
import { setImmediate, setTimeout } from 'node:timers'
import type { Pool } from 'pg'
import type { StoreSignal } from '../ports/store-signal.ts'
import type { Plan } from '../sql/plan.ts'
import type { Locks } from './locks.ts'
import { createLockTable } from './locks.ts'
import { classify, toStoreError } from './postgres-error.ts'
import type { NameOf } from './session.ts'
import { runPlan } from './session.ts'
import type { GroupWrite } from './transaction.ts'
import { commitGroup, CommitInDoubtError } from './transaction.ts'

/** Writes in one transaction at the most. */
const maxGroup = 64
/** How far down the queue a transaction looks for writes that can join it. */
const maxLook = 512
/** How often a transaction is made again when it got into the way of another one, and when its connection broke. */
const maxTries = { again: 8, connection: 2 }
const firstPauseMs = 4

interface QueuedWrite extends GroupWrite {
  readonly signal: AbortSignal | undefined
  tries: number
  /** Set once it failed in company: from then on it goes alone. */
  isApart: boolean
  refuse(error: unknown): void
}

/** How to write. */
export interface GroupWriterOptions {
  readonly pool: Pool
  readonly schema: string
  readonly nameOf: NameOf
  /** Transactions at the same time. */
  readonly lanes: number
  /** Hears of what was written, once it was committed. */
  readonly tell: (signals: readonly StoreSignal[]) => void
  readonly random: () => number
}

/** Writes in groups. */
export interface GroupWriter {
  /** Runs a plan in a transaction; resolves when it is committed. `plan` may be started more than once. */
  write<Result>(plan: () => Plan<Result>, locks: Locks, signal?: AbortSignal): Promise<Result>
  /** Resolves when nothing is on its way any more. */
  drain(): Promise<void>
}

/**
 * Commits the writes that wait together: alone a write costs two round trips, and under load many share them. A few
 * transactions go on at the same time, of writes that do not touch the same; writes on the same keep their order.
 */
export function createGroupWriter(options: GroupWriterOptions): GroupWriter {
  const queue: QueuedWrite[] = []
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

  const commit = async (group: readonly QueuedWrite[]) => {
    try {
      const { answers, signals } = await commitGroup(options, group)
      options.tell(signals)
      for (const { locks } of group) held.release(locks)
      for (const answer of answers) answer()
    } catch (error) {
      tryAgain(group, error)
    }
  }
  // Locks are kept until all are back at the head of the queue, in their order: no later write may go first.
  const putBack = (writes: readonly QueuedWrite[]) => {
    queue.unshift(...writes)
    for (const { locks } of writes) held.release(locks)
  }
  const giveUp = (write: QueuedWrite, error: unknown) => {
    held.release(write.locks)
    write.refuse(toStoreError(error, 'Writing to Postgres'))
  }
  const tryAgain = (group: readonly QueuedWrite[], error: unknown) => {
    if (error instanceof CommitInDoubtError) {
      for (const write of group) giveUp(write, error)
      return
    }
    const failure = classify(error)
    const isPassing = failure === 'again' || failure === 'connection'
    const left: QueuedWrite[] = []
    for (const write of group) {
      // One of several took the others along: each once more, alone.
      if (failure !== 'connection') write.isApart = true
      if (isPassing) write.tries += 1
      if (isPassing ? write.tries > maxTries[failure] : group.length === 1) giveUp(write, error)
      else left.push(write)
    }
    if (!isPassing || left.length === 0) return putBack(left)
    pausing += 1
    const tries = Math.max(...left.map((write) => write.tries))
    setTimeout(
      () => {
        pausing -= 1
        putBack(left)
        schedule()
      },
      firstPauseMs * 2 ** tries * (0.5 + options.random()),
    )
  }

  return {
    write: <Result>(plan: () => Plan<Result>, locks: Locks, signal?: AbortSignal) =>
      new Promise<Result>((resolve, reject) => {
        const run: GroupWrite['run'] = async (runStep, tell) => {
          const result = await runPlan(plan(), runStep, tell)
          return () => resolve(result)
        }
        queue.push({ locks, signal, tries: 0, isApart: false, run, refuse: reject })
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
function takeGroup(queue: QueuedWrite[], isFree: (locks: Locks) => boolean): QueuedWrite[] {
  const group: QueuedWrite[] = []
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
