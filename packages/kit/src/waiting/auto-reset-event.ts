import { onAbort } from './on-abort.ts'
import { longestTimerMs, platformTimers, type Timers } from './timers.ts'

/** Wakes one waiting loop. If the event is set while nothing waits, the next wait resolves at once. */
export interface AutoResetEvent {
  /** Resolves the current wait, or makes the next wait resolve at once. */
  set(): void
  /** Clears the event, so that the next wait does not resolve at once. */
  reset(): void
  /**
   * Resolves when the event is set, after `ms`, or when `signal` aborts. Never rejects, and clears its timer.
   *
   * @param ms milliseconds; `Infinity` waits without a time limit.
   */
  wait(ms: number, signal?: AbortSignal): Promise<void>
}

/**
 * Creates an {@link AutoResetEvent} that is not set.
 *
 * @param timers @default the timers of the platform
 * @example
 * const wakeup = createAutoResetEvent()
 * store.subscribe(() => wakeup.set())
 * while (!signal.aborted) await wakeup.wait(60_000, signal)
 */
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
        let forget: (() => void) | undefined
        let timer: unknown
        const end = () => {
          if (timer !== undefined) timers.clearTimeout(timer)
          forget?.()
          isSet = false
          wake = undefined
          resolve()
        }
        if (isSet || signal?.aborted) return end()
        wake = end
        if (signal) forget = onAbort(signal, end)
        if (ms < longestTimerMs) timer = timers.setTimeout(end, ms)
      }),
  }
}
