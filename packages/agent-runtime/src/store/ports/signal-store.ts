import type { Json } from '@homeward/contract/agent-platform'
import type { Page, PageRequest } from './page.ts'
import type { StoredWait } from './wait.ts'

/** How long the id of a signal is known, in milliseconds. */
export const signalKnownMs = 24 * 60 * 60 * 1000

/** A signal as it is stored. */
export interface StoredSignal {
  readonly id: string
  readonly event: string
  readonly data: Json
  /** ISO 8601 text in UTC. */
  readonly createdAt: string
  /** Until when waits that are opened later get it. Absent: they do not. */
  readonly keptUntil?: string
  /** Place of the newest wait when it was stored: those up to this one get it. */
  readonly lastWait: number
  /** Number of waits that got it at once. Absent while it is being delivered. */
  readonly delivered?: number
}

/** A signal that is to be stored. */
export interface NewSignal extends Omit<StoredSignal, 'lastWait' | 'delivered'> {
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
  /**
   * Waits that are open and may get a signal, the oldest first: those that were opened before it, and until
   * `keptUntil` those that were opened since.
   */
  listSignalWaits(
    given: Pick<StoredSignal, 'event' | 'lastWait' | 'keptUntil'>,
    page: PageRequest,
    signal?: AbortSignal,
  ): Promise<Page<StoredWait>>
  /**
   * Notes that a signal is delivered: the number of waits that have got it by now is its `delivered`, for good.
   *
   * @returns that number; undefined if the signal is forgotten.
   */
  settleSignal(
    given: Pick<StoredSignal, 'id' | 'createdAt'>,
    signal?: AbortSignal,
  ): Promise<number | undefined>
  /** Signals that are not delivered: their process is at work, or gone. The oldest first; at most `limit`. */
  listUndelivered(limit: number, signal?: AbortSignal): Promise<readonly StoredSignal[]>
  /** Signals of an event that later waits still get at this time, the oldest first; at most `limit`. */
  listKeptSignals(
    event: string,
    now: string,
    limit: number,
    signal?: AbortSignal,
  ): Promise<readonly StoredSignal[]>
}
