import { within } from '@homeward/kit'
import type { LeaseKeeper } from '../leases/create-lease-keeper.ts'
import type { StoreSignals } from '../store/ports/store-signal.ts'
import type { StoredTask, TaskStore } from '../store/ports/task-store.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { Attempts } from './create-attempts.ts'
import { createTaskRecovery, type TaskRecovery } from './create-task-recovery.ts'
import { createDispatcher, type Dispatcher } from './create-dispatcher.ts'

/** What takes tasks for the attempts of a process, and looks after those that nobody works on. */
export interface Workers
  extends
    Pick<Dispatcher, 'pump' | 'workOnTicket'>,
    Pick<TaskRecovery, 'sweep' | 'watchParked'>,
    Pick<Attempts, 'stop'> {
  /** Takes nothing more, and gives back what runs; waits for it, but not for long. */
  close(): Promise<void>
}

/** What {@link createWorkers} is built from. */
export interface WorkersOptions {
  readonly store: TaskStore & StoreSignals
  readonly leases: Pick<LeaseKeeper, 'isFresh' | 'renew'>
  readonly attempts: Attempts
  readonly claim: (limit: number) => Promise<readonly StoredTask[]>
  /** Whether the store's signals say when there are tasks to take; else a queue does. */
  readonly hearsOfTasks: boolean
  /** Tells of a task that is in the queue again. */
  readonly deliver: (task: StoredTask) => Promise<void>
  /** There was less to take than there are free workers. */
  readonly onShort: () => Promise<void>
  /** Taking tasks broke off: it is to be tried again. */
  readonly onStuck: () => void
  readonly onError: (what: string, error: unknown) => void
  readonly now: () => number
  readonly closeGraceMs: number
}

export function createWorkers(options: WorkersOptions): Workers {
  const { store, leases, attempts, claim, hearsOfTasks, deliver, onShort, onStuck, onError, now } = options
  const dispatcher = createDispatcher({
    claim,
    attempts,
    onShort,
    onError(error) {
      onError('Taking tasks failed', error)
      onStuck()
    },
  })
  const recovery = createTaskRecovery({ store, leases, deliver, conclude: attempts.conclude, now, onError })
  const unsubscribe = store.subscribe(({ topic }) => {
    if (topic === 'task' && hearsOfTasks) dispatcher.pump()
    else if (topic === 'run') recovery.watchParked()
  })
  return {
    pump: dispatcher.pump,
    workOnTicket: dispatcher.workOnTicket,
    sweep: recovery.sweep,
    watchParked: recovery.watchParked,
    stop: attempts.stop,
    async close() {
      unsubscribe()
      recovery.close()
      attempts.giveUp(
        new RuntimeError('closed', 'Working on a task: the runtime was closed. It goes on later.'),
      )
      // What was being taken meanwhile is given back too.
      const all = dispatcher.close().then(() => attempts.ended())
      await within(all, options.closeGraceMs)
    },
  }
}
