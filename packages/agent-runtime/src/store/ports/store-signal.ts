/** A hint that data may have changed, so that waiting code checks again. It may be late, duplicated or unnecessary. */
export type StoreSignal =
  /** Events were appended to the journal. */
  | { readonly topic: 'journal' }
  /** A task can be taken, was cancelled, or its run has ended. */
  | { readonly topic: 'task' }
  /** Steps of a run were kept, it ended, it shall be cancelled, or a decision about it was made. */
  | { readonly topic: 'run'; readonly runId: string }
  /** A run got a message. */
  | { readonly topic: 'input'; readonly runId: string }
  /** An agent or a graph was created, changed or deleted. */
  | { readonly topic: 'definition' }

/** Receives signals. Must not throw, and must not wait. */
export type StoreListener = (signal: StoreSignal) => void

/** Notifies waiting code, so that frequent polling is unnecessary. */
export interface StoreSignals {
  /**
   * Adds a listener for every change through this store, called once the change is readable.
   *
   * A shared store also reports changes of other processes, if its database supports it. Do not rely on it alone:
   * waiting code must also check from time to time.
   *
   * @returns a function that removes the listener.
   */
  subscribe(listener: StoreListener): () => void
}
