const waiting = new WeakMap<AbortSignal, Set<() => void>>()

/**
 * Calls `run` once when `signal` aborts. The returned function cancels that. `run` must not throw, and is not called if
 * the signal has aborted already.
 *
 * A loop or a run waits thousands of times on one signal, and a listener costs ten times a timer. So all that wait on
 * the same signal share one listener.
 */
export function onAbort(signal: AbortSignal, run: () => void): () => void {
  if (signal.aborted) return () => {}
  let waits = waiting.get(signal)
  if (!waits) {
    const own = new Set<() => void>()
    signal.addEventListener(
      'abort',
      () => {
        for (const wake of Array.from(own)) if (own.has(wake)) wake()
      },
      { once: true },
    )
    waiting.set(signal, own)
    waits = own
  }
  const shared = waits
  shared.add(run)
  return () => void shared.delete(run)
}
