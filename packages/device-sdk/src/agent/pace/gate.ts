import { onAbort } from '@homeward/kit'

/** Holds everybody up while it is closed. */
interface Gate {
  open(): void
  close(): void
  /** Resolves while the gate is open, or when `signal` aborts. Never rejects. */
  readonly wait: (signal: AbortSignal) => Promise<void>
}

/** Builds a gate, closed. */
export function createGate(): Gate {
  const waiters = new Set<() => void>()
  let isOpen = false
  return {
    open() {
      isOpen = true
      for (const wake of waiters) wake()
    },
    close() {
      isOpen = false
    },
    wait: (signal) =>
      new Promise((resolve) => {
        if (isOpen || signal.aborted) return resolve()
        const wake = () => {
          waiters.delete(wake)
          forget()
          resolve()
        }
        waiters.add(wake)
        const forget = onAbort(signal, wake)
      }),
  }
}
