import type { NewTask } from '../store/ports/task-store.ts'

/**
 * How workers hear of tasks (A7). The tasks themselves are in the store: a queue only says when one can be taken, and
 * may say so twice or for nothing.
 */
export interface TaskQueue {
  /**
   * Begins to deliver. Called again when it failed.
   *
   * @param work takes the task and comes back when its attempt has ended; never rejects.
   * @param concurrency tasks at the same time, at the most.
   */
  start(work: (taskId: string) => Promise<void>, concurrency: number): Promise<void>
  /** Tells of a task that was put into the queue, or back into it. */
  deliver(task: Pick<NewTask, 'id' | 'priority' | 'runAt'>): Promise<void>
  /** Delivers no more, and waits for the work that was begun. */
  close(): Promise<void>
}
