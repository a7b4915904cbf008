import type { LeaseKeeper } from '../leases/create-lease-keeper.ts'
import type { StoredTask, TaskStore } from '../store/ports/task-store.ts'
import { toEndedEvent } from './task-events.ts'

/** Looks after tasks that nobody works on. */
interface TaskRecovery {
  /** Takes back what its owner has left, and settles what waited for a person. Never rejects. */
  sweep(): Promise<void>
  /** Looks after parked tasks soon. */
  watchParked(): void
  close(): void
}

/** What {@link createTaskRecovery} is built from. */
interface TaskRecoveryOptions {
  readonly store: TaskStore
  readonly leases: Pick<LeaseKeeper, 'isFresh' | 'renew'>
  /** Tells of a task that is in the queue again. */
  readonly deliver: (task: StoredTask) => Promise<void>
  /** Settles a parked task whose run has ended. */
  readonly conclude: (task: StoredTask) => Promise<void>
  readonly now: () => number
  readonly onError: (what: string, error: unknown) => void
}

/** Tasks that are taken back, or settled, at once. */
const sweptAtOnce = 100
/** How long to wait for more signals of runs before looking after parked tasks, in milliseconds. */
const parkedPauseMs = 250

export function createTaskRecovery({
  store,
  leases,
  deliver,
  conclude,
  now,
  onError,
}: TaskRecoveryOptions): TaskRecovery {
  let parkedTimer: ReturnType<typeof setTimeout> | undefined
  let isClosed = false

  async function settleParked(): Promise<void> {
    for (const task of await store.listSettleableTasks(sweptAtOnce)) {
      if (isClosed) return
      await conclude(task)
    }
  }

  async function takeBack(): Promise<void> {
    // After a pause what is worked on here looks left too: it is renewed first, or known to be lost.
    if (!leases.isFresh()) await leases.renew()
    if (!leases.isFresh()) return
    const at = new Date(now()).toISOString()
    const reclaimed = await store.reclaimTasks({ now: at, limit: sweptAtOnce, toEvent: toEndedEvent })
    for (const task of reclaimed) if (task.status === 'queued') await deliver(task)
  }

  return {
    async sweep() {
      try {
        await takeBack()
        await settleParked()
      } catch (error) {
        onError('Recovering tasks failed', error)
      }
    },
    watchParked() {
      if (parkedTimer !== undefined || isClosed) return
      parkedTimer = setTimeout(() => {
        parkedTimer = undefined
        settleParked().catch((error: unknown) => onError('Checking waiting tasks failed', error))
      }, parkedPauseMs)
      parkedTimer.unref?.()
    },
    close() {
      isClosed = true
      clearTimeout(parkedTimer)
    },
  }
}
