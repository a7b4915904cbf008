import { within } from '@homeward/kit'
import type { Logger } from '../ports/logger.ts'
import { reasonOf } from '../ports/reason-of.ts'
import type { NewTask } from '../store/ports/task-store.ts'
import type { TaskQueue } from './task-queue.ts'

/** A queue whose failures stop nothing: tasks that it does not tell of are found by the workers' own looking. */
export function heedQueue(
  queue: TaskQueue | undefined,
  context: { readonly logger: Logger; readonly closeGraceMs: number; readonly isClosing: () => boolean },
) {
  const { logger, closeGraceMs, isClosing } = context
  return {
    async deliver(task: NewTask): Promise<void> {
      try {
        await queue?.deliver(task)
      } catch (error) {
        if (!isClosing()) logger.error('Adding a task to the queue failed.', { reason: reasonOf(error) })
      }
    },
    /** It waits for the work that was begun, so it gets no longer than that. */
    async closeQueue(): Promise<void> {
      try {
        if (queue) await within(queue.close(), closeGraceMs)
      } catch (error) {
        logger.error('Closing the queue of tasks failed.', { reason: reasonOf(error) })
      }
    },
  }
}
