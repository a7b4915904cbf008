import type { Logger } from '../ports/logger.ts'
import { reasonOf } from '../ports/reason-of.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { backoffMs, sleep } from '@homeward/kit'

/** How often something is tried again: for three to six seconds, much less than a lease lasts. */
const maxRepeats = 6
const firstPauseMs = 100

const never = new AbortController().signal

/**
 * Does something with the store, and again, behind growing pauses, when that fails in a way that may pass: what the store
 * cannot do for a moment costs time, and nothing else. `work` must be safe to repeat.
 *
 * @param signal ends the trying; what the store failed with is thrown then.
 * @throws {unknown} what it fails with at last, or in a way that does not pass.
 */
export async function whileStoreFails<Result>(
  { logger, random = Math.random }: { readonly logger: Logger; readonly random?: () => number },
  work: () => Promise<Result>,
  signal: AbortSignal = never,
): Promise<Result> {
  for (let repeats = 0; ; repeats += 1) {
    try {
      return await work()
    } catch (error) {
      if (!isPassing(error) || repeats === maxRepeats || signal.aborted) throw error
      logger.warn('A call of the store failed. Retrying.', { reason: reasonOf(error) })
      const pause = { failures: repeats + 1, baseMs: firstPauseMs, spread: [0.5, 1], random } as const
      await sleep(backoffMs(pause), signal)
      if (signal.aborted) throw error
    }
  }
}

/** Whether the store may do later what it failed at. */
const isPassing = (error: unknown) =>
  RuntimeError.is(error) && error.code === 'storage_error' && error.retryable
