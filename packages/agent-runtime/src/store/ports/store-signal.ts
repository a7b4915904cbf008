/** Says that something may have changed, so that whoever waits for it looks. It may come late, twice, or for nothing. */
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

/** Is told of signals; must not throw and not wait. */
export type StoreListener = (signal: StoreSignal) => void

/** Tells those who wait, so that they need not ask again and again. */
export interface StoreSignals {
  /**
   * Hears of every change that is made through this store, once it can be read. A store that several processes share
   * passes on what the others do as well, where its database can; nobody may rely on that alone: who waits also looks
   * now and then.
   *
   * @returns what ends it.
   */
  subscribe(listener: StoreListener): () => void
}
