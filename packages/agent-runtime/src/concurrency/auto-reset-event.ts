/** Wakes one reader. Being set while nobody waits is kept until the next wait. */
export interface AutoResetEvent {
  set(): void
  /** Resolves once it is set, when `signal` aborts, or after `maxMs`. Never rejects. */
  wait(signal: AbortSignal | undefined, maxMs?: number): Promise<void>
}

export function createAutoResetEvent(): AutoResetEvent {
  let isSet = false
  let wake: (() => void) | undefined
  return {
    set() {
      isSet = true
      wake?.()
    },
    wait: (signal, maxMs) =>
      new Promise((resolve) => {
        let timer: ReturnType<typeof setTimeout> | undefined
        const end = () => {
          signal?.removeEventListener('abort', end)
          clearTimeout(timer)
          isSet = false
          wake = undefined
          resolve()
        }
        if (isSet || signal?.aborted) return end()
        wake = end
        signal?.addEventListener('abort', end)
        if (maxMs !== undefined) timer = setTimeout(end, maxMs)
      }),
  }
}
