import type { StoreListener, StoreSignal } from './ports/store-signal.ts'

/** Passes signals of a store on to those who wait. */
interface SignalHub {
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
      const distinct = withoutRepeats(signals)
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

function withoutRepeats(signals: readonly StoreSignal[]): readonly StoreSignal[] {
  const byKey = new Map<string, StoreSignal>()
  for (const signal of signals) {
    byKey.set('runId' in signal ? `${signal.topic} ${signal.runId}` : signal.topic, signal)
  }
  return [...byKey.values()]
}
