import type { Timers } from '../../ports/index.ts'
import { sleep } from '@homeward/kit'

/** Waits until the next turn; turns are at least `spacingMs` apart, in the order of asking. */
export type Pace = (signal: AbortSignal) => Promise<void>

/**
 * Spaces requests evenly, with no burst to be refused for. Each turn counts from when the one before really came,
 * so turns that a busy process kept waiting do not come all at once.
 */
export function createPace(spacingMs: number, now: () => number, timers?: Timers): Pace {
  let lastMs = -Infinity
  let queue: Promise<void> = Promise.resolve()
  return (signal) => {
    queue = queue.then(async () => {
      // No more than the spacing, also when the clock was set back.
      const waitMs = Math.min(spacingMs, lastMs + spacingMs - now())
      if (waitMs > 0) await sleep(waitMs, signal, timers)
      lastMs = now()
    })
    return queue
  }
}
