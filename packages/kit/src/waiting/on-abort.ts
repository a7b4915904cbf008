const shared = new WeakMap<AbortSignal, Set<() => void>>()

/**
 * Makes all waits on a signal share one listener.
 *
 * A loop or a run waits thousands of times on one signal, and adding a listener costs ten times as much as a timer.
 * Use it only for a signal of your own that ends with its purpose: the listener stays until the signal aborts or is
 * collected. A signal of `AbortSignal.any` that has a listener is not collected before its sources.
 *
 * @returns the same signal.
 */
export function linkSignals(signal: AbortSignal): AbortSignal {
  const waits = new Set<() => void>()
  shared.set(signal, waits)
  signal.addEventListener('abort', () => {
    for (const wake of waits) wake()
  })
  return signal
}

/**
 * Calls `run` once when `signal` aborts. Returns a function that cancels the call. `run` must not throw, and is not
 * called if the signal has already aborted.
 */
export function onAbort(signal: AbortSignal, run: () => void): () => void {
  if (signal.aborted) return () => {}
  const waits = shared.get(signal)
  if (!waits) {
    signal.addEventListener('abort', run)
    return () => signal.removeEventListener('abort', run)
  }
  waits.add(run)
  return () => void waits.delete(run)
}

/**
 * Settles like `work`, or rejects with the signal's reason as soon as the signal aborts, even if `work` ignores the
 * signal. A later outcome of `work` is dropped.
 *
 * @param signal if missing, the result is `work` itself.
 * @param abandon called on abort, before the returned promise rejects.
 */
export function untilAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
  abandon?: () => void,
): Promise<T> {
  if (!signal) return work
  return new Promise((resolve, reject) => {
    const abort = () => {
      abandon?.()
      // oxlint-disable-next-line prefer-promise-reject-errors -- the caller's reason is passed on as it is
      reject(signal.reason)
    }
    const forget = onAbort(signal, abort)
    const settle =
      <Value>(end: (value: Value) => void) =>
      (value: Value) => {
        forget()
        end(value)
      }
    work.then(settle(resolve), settle(reject))
    if (signal.aborted) abort()
  })
}
