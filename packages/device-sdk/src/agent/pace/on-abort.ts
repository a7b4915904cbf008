const waiting = new WeakMap<AbortSignal, Set<() => void>>()

/**
 * Calls `run` once when `signal` aborts; the returned function calls that off.
 *
 * An agent waits thousands of times on the one signal that stops it. A listener costs ten times a timer, so all waits of
 * a signal share one.
 */
export function onAbort(signal: AbortSignal, run: () => void): () => void {
  let waits = waiting.get(signal)
  if (!waits) {
    const own = new Set<() => void>()
    signal.addEventListener(
      'abort',
      () => {
        for (const wake of Array.from(own)) wake()
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
