import type { Timers } from '../../ports/index.ts'
import { onAbort } from './on-abort.ts'

/** Wakes a loop early. A ring that nobody waits for is kept until the next wait or `reset`. */
export interface Bell {
  ring(): void
  /** Forgets a ring that nobody heard. */
  reset(): void
  /** Resolves at a ring, after `ms`, or when `signal` aborts. Never rejects; clears its timer. */
  wait(ms: number, signal: AbortSignal): Promise<void>
}

/** The timers of the platform, looked up at each call. */
export const platformTimers: Timers = {
  setTimeout: (run, ms) => setTimeout(run, ms),
  // It takes what the line above gave.
  clearTimeout: (timer) => clearTimeout(timer as number),
}

export function createBell(timers: Timers = platformTimers): Bell {
  let rung = false
  let wake: (() => void) | undefined
  return {
    ring() {
      rung = true
      wake?.()
    },
    reset() {
      rung = false
    },
    wait: (ms, signal) =>
      new Promise((resolve) => {
        let forget = () => {}
        const end = () => {
          timers.clearTimeout(timer)
          forget()
          rung = false
          wake = undefined
          resolve()
        }
        // Infinity waits for a ring alone; a timer cannot hold more than 24.8 days.
        const timer = ms < 2_147_483_647 ? timers.setTimeout(end, ms) : undefined
        if (rung || signal.aborted) return end()
        wake = end
        forget = onAbort(signal, end)
      }),
  }
}

/** Resolves after `ms` or when `signal` aborts; nothing can cut it short otherwise. */
export const sleep = (ms: number, signal: AbortSignal, timers?: Timers): Promise<void> =>
  createBell(timers).wait(ms, signal)
