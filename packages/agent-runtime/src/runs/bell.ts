/** Wakes one reader. A ring that nobody waits for is kept until the next wait. */
export interface Bell {
  ring(): void
  /** Resolves at a ring, or when `signal` aborts. Never rejects. */
  wait(signal: AbortSignal): Promise<void>
}

export function createBell(): Bell {
  let rung = false
  let wake: (() => void) | undefined
  return {
    ring() {
      rung = true
      wake?.()
    },
    wait: (signal) =>
      new Promise((resolve) => {
        const end = () => {
          signal.removeEventListener('abort', end)
          rung = false
          wake = undefined
          resolve()
        }
        if (rung || signal.aborted) return end()
        wake = end
        signal.addEventListener('abort', end)
      }),
  }
}
