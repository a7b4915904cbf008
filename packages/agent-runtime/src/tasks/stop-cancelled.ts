import type { Logger } from '../ports/logger.ts'
import { reasonOf } from '../ports/reason-of.ts'
import type { TaskCancellation, TaskStore } from '../store/ports/task-store.ts'
import type { WorkerPool } from './worker-pool.ts'

/** What {@link stopCancelled} needs. */
export interface StopContext {
  readonly store: Pick<TaskStore, 'findTask'>
  readonly pool: Pick<WorkerPool, 'stop'>
  /** Stops a run, whichever process works on it. */
  readonly cancelRun: (runId: string) => Promise<unknown>
  readonly logger: Logger
}

/** Stops the work of a task that was cancelled: without its task, its run would go on in whichever process has it. */
export async function stopCancelled(
  { store, pool, cancelRun, logger }: StopContext,
  cancellation: TaskCancellation,
): Promise<void> {
  if (cancellation.outcome === 'unknown' || cancellation.outcome === 'ended') return
  const { id } = cancellation.task
  if (cancellation.outcome === 'requested') await pool.stop(id)
  const after = await store.findTask(id)
  const runId = after?.runId ?? cancellation.task.runId
  // one that waits for a run leaves it alone
  if (runId === undefined || runId === after?.afterRun || after?.result !== undefined) return
  try {
    await cancelRun(runId)
  } catch (error) {
    logger.warn('Stopping the run of a canceled task failed.', { runId, reason: reasonOf(error) })
  }
}
