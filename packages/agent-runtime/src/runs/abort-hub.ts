/**
 * A signal with cheap listeners: a run listens several times in each turn, and a listener of an AbortSignal costs ten
 * times as much as an entry of a set.
 */
export interface AbortHub {
  readonly signal: AbortSignal
  /** `listener` must not throw. It is not called when the signal has aborted before. */
  add(listener: () => void): void
  remove(listener: () => void): void
}

/** Listens to a signal once, for all listeners of the hub. The hub must not outlive the signal's purpose by far. */
export function createAbortHub(signal: AbortSignal): AbortHub {
  const listeners = new Set<() => void>()
  signal.addEventListener('abort', () => listeners.forEach((listener) => listener()), { once: true })
  return {
    signal,
    add: (listener) => void listeners.add(listener),
    remove: (listener) => void listeners.delete(listener),
  }
}
