import type { NewTask } from '../store/ports/task-store.ts'

/**
 * Notifies workers of tasks. The tasks themselves are in the store: a queue only signals that a task can be claimed,
 * possibly twice or unnecessarily.
 */
export interface TaskQueue {
  /**
   * Starts deliveries. Called again after a failure.
   *
   * @param work claims the task and resolves when its attempt has ended; never rejects.
   * @param concurrency maximum number of parallel tasks.
   */
  start(work: (taskId: string) => Promise<void>, concurrency: number): Promise<void>
  /** Signals a task that was added to the queue, or returned to it. */
  deliver(task: Pick<NewTask, 'id' | 'priority' | 'runAt'>): Promise<void>
  /** Stops deliveries, and waits for running work. */
  close(): Promise<void>
}
