/** Wakes a loop early. A ring that nobody waits for is kept until the next wait or `reset`. */
export interface Bell {
  ring(): void
  /** Forgets a ring that nobody heard. */
  reset(): void
  /** Resolves at a ring, after `ms`, or when `signal` aborts. Never rejects; clears its timer. */
  wait(ms: number, signal: AbortSignal): Promise<void>
}

export function createBell(): Bell {
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
        const end = () => {
          clearTimeout(timer)
          signal.removeEventListener('abort', end)
          rung = false
          wake = undefined
          resolve()
        }
        // Infinity waits for a ring alone; a timer cannot hold more than 24.8 days.
        const timer = ms < 2_147_483_647 ? setTimeout(end, ms) : undefined
        if (rung || signal.aborted) return end()
        wake = end
        signal.addEventListener('abort', end)
      }),
  }
}

/** Resolves after `ms` or when `signal` aborts; nothing can cut it short otherwise. */
export const sleep = (ms: number, signal: AbortSignal): Promise<void> => createBell().wait(ms, signal)
