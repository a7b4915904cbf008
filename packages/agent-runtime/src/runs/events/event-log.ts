import type { RunEvent } from '@homeward/contract/agent-platform'
import type { RunEventBatch } from '../../store/ports/run-store.ts'

/** Events of a run under way: numbered as they happen, held until they are kept. */
export interface EventLog {
  push(event: RunEvent): void
  /** Events that are not kept yet, as one batch. It grows with what is pushed. */
  batch(): RunEventBatch
  /** The first `count` of the batch were kept, and `more` behind them: readers find them in the store from now on. */
  saved(count: number, more: readonly RunEvent[]): void
  /**
   * Events behind `seq`, in an array that only grows.
   *
   * @returns undefined when some of them are in the store only.
   */
  after(seq: number): RunEventBatch | undefined
  /** No event comes any more, and those that are here will not be kept. */
  isClosed(): boolean
  close(): void
  /** Forgets what is not kept: whoever goes on with the run tells it anew. Readers go on in the store. */
  drop(): void
}

/**
 * Starts a log whose first event gets `firstSeq`. `onPush` is called behind each event, and when the log closes.
 *
 * It has no accessors on purpose: one in an object literal gives each object a shape of its own, and V8 keeps shapes, with
 * all that the accessor can reach, until the next full collection. For a log that is its whole run.
 */
export function createEventLog(firstSeq: number, onPush: () => void): EventLog {
  let start = firstSeq
  let unsaved: RunEvent[] = []
  let isClosed = false
  return {
    push(event) {
      unsaved.push(event)
      onPush()
    },
    batch: () => ({ firstSeq: start, events: unsaved }),
    saved(count, more) {
      const rest = count < unsaved.length ? unsaved.slice(count) : []
      if (more.length > 0) unsaved.push(...more) // for a reader that is still going through this array
      start += count + more.length
      unsaved = rest
      if (more.length > 0) onPush()
    },
    after: (seq) => (seq + 1 >= start ? { firstSeq: start, events: unsaved } : undefined),
    isClosed: () => isClosed,
    close() {
      isClosed = true
      onPush()
    },
    drop() {
      start = Number.POSITIVE_INFINITY
      unsaved = []
      onPush()
    },
  }
}
