import type { GraphRunResult, RunResult, TaskFailure } from '@homeward/contract/agent-platform'
import type { StoredTask } from '../store/ports/task-store.ts'

/** How an attempt at a task went. */
export type Attempt =
  | { readonly kind: 'completed'; readonly result: RunResult | GraphRunResult }
  /** One whose failure is `retryable` is tried again, as long as attempts are left. */
  | {
      readonly kind: 'failed'
      readonly failure: TaskFailure
      readonly result?: RunResult | GraphRunResult
      /** Its run may not have ended: another attempt goes on with it, and without one left it is asked to stop. */
      readonly keepsRun?: true
    }
  /** It begins, or begins again, with a run of its own. */
  | { readonly kind: 'retry'; readonly runAt: string }
  /** Its run waits for a person. */
  | { readonly kind: 'parked' }
  /** It was given up without an outcome: it goes on elsewhere, or at the next start. */
  | { readonly kind: 'released' }

/** What workers do with a task. */
export interface TaskWork {
  /**
   * Works on a task until it has ended, waits for a person, or is given up.
   *
   * @param signal aborts with a {@link RuntimeError}: with `cancelled` the work has to be stopped for good, with `closed`
   * it is only left: the task is another process's by then, or this one shuts down.
   */
  execute(task: StoredTask, signal: AbortSignal): Promise<Attempt>
  /** How the run of a parked task ended; undefined while it goes on. */
  conclude(task: StoredTask): Promise<Attempt | undefined>
}
