import type { StoreListener, StoreSignal } from '../store/ports/store-signal.ts'

/** Passes signals of a store on to those who wait. */
export interface SignalHub {
  /** @returns what ends it. */
  subscribe(listener: StoreListener): () => void
  /** Tells everybody, each signal once. */
  tell(signals: readonly StoreSignal[]): void
}

/** Builds a hub that nobody listens to yet. */
export function createSignalHub(): SignalHub {
  const subscriptions = new Set<{ readonly listener: StoreListener }>()
  return {
    subscribe(listener) {
      const subscription = { listener }
      subscriptions.add(subscription)
      return () => void subscriptions.delete(subscription)
    },
    tell(signals) {
      if (subscriptions.size === 0 || signals.length === 0) return
      const distinct = hasRepeats(signals) ? withoutRepeats(signals) : signals
      for (const { listener } of subscriptions) {
        for (const signal of distinct) tellOne(listener, signal)
      }
    },
  }
}

function tellOne(listener: StoreListener, signal: StoreSignal): void {
  try {
    listener(signal)
  } catch {
    // What was written is written: a listener that fails must not make it look undone.
  }
}

/** More than this are put into a table, whether they repeat or not. */
const few = 8

/** There are few nearly always: looking through them costs less than a table of them. */
function hasRepeats(signals: readonly StoreSignal[]): boolean {
  if (signals.length > few) return true
  for (let place = 1; place < signals.length; place += 1) {
    for (let before = 0; before < place; before += 1) {
      if (isSame(signals[before], signals[place])) return true
    }
  }
  return false
}

function isSame(a: StoreSignal | undefined, b: StoreSignal | undefined): boolean {
  return a?.topic === b?.topic && (a?.topic !== 'run' || b?.topic !== 'run' || a.runId === b.runId)
}

function withoutRepeats(signals: readonly StoreSignal[]): readonly StoreSignal[] {
  const byKey = new Map<string, StoreSignal>()
  for (const signal of signals) {
    byKey.set(signal.topic === 'run' ? `run ${signal.runId}` : signal.topic, signal)
  }
  return [...byKey.values()]
}
