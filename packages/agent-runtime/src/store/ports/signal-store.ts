import type { Json } from '@homeward/contract/agent-platform'

/** A signal as it is stored. */
export interface StoredSignal {
  readonly id: string
  readonly event: string
  readonly data: Json
  /** ISO 8601 text in UTC. */
  readonly createdAt: string
  /** Until when waits that are opened later get it. Absent: they do not. */
  readonly keptUntil?: string
  /** Number of waits that got it at once. Absent while it is being delivered. */
  readonly delivered?: number
}

/** A signal that is to be stored. */
export interface NewSignal extends Omit<StoredSignal, 'delivered'> {
  /** A signal with the same id from this time or later is the same one. */
  readonly knownSince: string
}

/** A signal with the id that was given. */
export interface InsertedSignal {
  readonly signal: StoredSignal
  /** Whether this call stored it; else one before did, and nothing was stored now. */
  readonly isNew: boolean
}

/** Signals to runs that wait for events. */
export interface SignalStore {
  /** Stores a signal, and forgets some that are known and kept no more. */
  insertSignal(given: NewSignal, signal?: AbortSignal): Promise<InsertedSignal>
  /** Stores how many waits got a signal, unless that is stored. @returns the number that is stored. */
  settleSignal(
    given: Pick<StoredSignal, 'id' | 'createdAt'> & { readonly delivered: number },
    signal?: AbortSignal,
  ): Promise<number | undefined>
  /** Signals of an event that later waits still get at this time, the oldest first; at most `limit`. */
  listKeptSignals(
    event: string,
    now: string,
    limit: number,
    signal?: AbortSignal,
  ): Promise<readonly StoredSignal[]>
}
