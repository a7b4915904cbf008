/** Wakes one reader. A ring that nobody waits for is kept until the next wait. */
export interface Bell {
  ring(): void
  /** Resolves at a ring, when `signal` aborts, or after `maxMs`. Never rejects. */
  wait(signal: AbortSignal | undefined, maxMs?: number): Promise<void>
}

export function createBell(): Bell {
  let rung = false
  let wake: (() => void) | undefined
  return {
    ring() {
      rung = true
      wake?.()
    },
    wait: (signal, maxMs) =>
      new Promise((resolve) => {
        let timer: ReturnType<typeof setTimeout> | undefined
        const end = () => {
          signal?.removeEventListener('abort', end)
          clearTimeout(timer)
          rung = false
          wake = undefined
          resolve()
        }
        if (rung || signal?.aborted) return end()
        wake = end
        signal?.addEventListener('abort', end)
        if (maxMs !== undefined) timer = setTimeout(end, maxMs)
      }),
  }
}
