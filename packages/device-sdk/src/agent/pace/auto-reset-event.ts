import type { Timers } from '../../ports/index.ts'
import { onAbort } from './on-abort.ts'

/** Wakes a loop early. Being set while nobody waits is kept until the next wait or `reset`. */
export interface AutoResetEvent {
  set(): void
  /** Forgets that it was set. */
  reset(): void
  /** Resolves once it is set, after `ms`, or when `signal` aborts. Never rejects; clears its timer. */
  wait(ms: number, signal: AbortSignal): Promise<void>
}

/** The timers of the platform, looked up at each call. */
export const platformTimers: Timers = {
  setTimeout: (run, ms) => setTimeout(run, ms),
  // It takes what the line above gave.
  clearTimeout: (timer) => clearTimeout(timer as number),
}

export function createAutoResetEvent(timers: Timers = platformTimers): AutoResetEvent {
  let isSet = false
  let wake: (() => void) | undefined
  return {
    set() {
      isSet = true
      wake?.()
    },
    reset() {
      isSet = false
    },
    wait: (ms, signal) =>
      new Promise((resolve) => {
        let forget = () => {}
        const end = () => {
          timers.clearTimeout(timer)
          forget()
          isSet = false
          wake = undefined
          resolve()
        }
        // Infinity waits until it is set; a timer cannot hold more than 24.8 days.
        const timer = ms < 2_147_483_647 ? timers.setTimeout(end, ms) : undefined
        if (isSet || signal.aborted) return end()
        wake = end
        forget = onAbort(signal, end)
      }),
  }
}

/** Resolves after `ms` or when `signal` aborts; nothing can cut it short otherwise. */
export const sleep = (ms: number, signal: AbortSignal, timers?: Timers): Promise<void> =>
  createAutoResetEvent(timers).wait(ms, signal)
