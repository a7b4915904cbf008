/**
 * A signal with cheap listeners: a run listens several times in each turn, and a listener of an AbortSignal costs ten
 * times as much as an entry of a list.
 */
export interface AbortHub {
  readonly signal: AbortSignal
  /** `listener` must not throw. It is not called when the signal has aborted before. */
  add(listener: () => void): void
  remove(listener: () => void): void
}

/** Listens to a signal once, for all listeners of the hub. The hub must not outlive the signal's purpose by far. */
export function createAbortHub(signal: AbortSignal): AbortHub {
  // A list, not a set: few listen at once, those that came last go first, and a set grows and shrinks by copies.
  const listeners: (() => void)[] = []
  const tellAll = () => {
    for (const listener of listeners.slice()) if (listeners.includes(listener)) listener()
  }
  signal.addEventListener('abort', tellAll, { once: true })
  return {
    signal,
    add: (listener) => void listeners.push(listener),
    remove(listener) {
      const place = listeners.lastIndexOf(listener)
      if (place === listeners.length - 1) listeners.pop()
      else if (place >= 0) listeners.splice(place, 1)
    },
  }
}
