import type { JournalEvent } from '@homeward/contract/agent-platform'
import type { Journal } from '../store/ports/journal.ts'
import type { Logger } from '../ports/logger.ts'
import type { StoreSignals } from '../store/ports/store-signal.ts'
import { followJournal, type JournalView } from './follow-journal.ts'
import { createJournalTail } from './journal-tail.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { boundedLimit } from '../paging/bounded-limit.ts'

const lookEveryMs = 1000
const tailEvents = 1000

/** Filter for events of the journal. */
export interface LogQuery {
  readonly type?: string | undefined
  /** Event types, in addition to `type`. */
  readonly types?: readonly string[] | undefined
  readonly runId?: string | undefined
  /** Only events after this number, oldest first. Without it, the newest events, in their order. */
  readonly since?: number | undefined
  /** Maximum number of events, 1 to 1000. @default 100 */
  readonly limit?: number | undefined
}

/** Reads the journal. */
export interface Logs {
  /** Lists events in their order. */
  list(query?: LogQuery, signal?: AbortSignal): Promise<JournalEvent[]>
  /** Returns the number of the newest event, or 0 without events. */
  lastSeq(signal?: AbortSignal): Promise<number>
  /**
   * Yields events as they happen, each once and in order.
   *
   * With `since`, earlier events come first. The next events are read only when the loop requests them, so a slow
   * reader needs no memory. Ends when `signal` aborts or the runtime closes. Several readers may get the same frozen
   * object.
   *
   * @example for await (const event of runtime.logs.follow({ types: ['agent.completed'] })) console.log(event.seq)
   */
  follow(view?: JournalView, signal?: AbortSignal): AsyncIterable<JournalEvent>
}

/** What {@link createLogs} is built from. */
interface LogsOptions {
  readonly store: Journal & StoreSignals
  readonly logger: Logger
}

/** Reads the journal for a runtime. `close` ends everybody's {@link Logs.follow}, behind the last event. */
export function createLogs({ store, logger }: LogsOptions): Logs & { close(): Promise<void> } {
  const tail = createJournalTail({ store, logger, lookEveryMs, maxEvents: tailEvents })
  const never = new AbortController().signal
  return {
    async list({ limit = 100, type, types, since, ...filter } = {}, signal) {
      const kinds = type !== undefined && types !== undefined ? { types: [...types, type] } : { type, types }
      const range = { since: placeOf(since), limit: boundedLimit(limit, 1000) }
      return store.listEvents({ ...filter, ...kinds, ...range }, signal)
    },
    lastSeq: (signal) => store.lastEventSeq(signal),
    follow: (view = {}, signal = never) =>
      followJournal({ store, tail }, { ...view, since: placeOf(view.since) }, signal),
    close: () => tail.close(),
  }
}

/** Databases count in whole numbers. @throws {RuntimeError} `validation_error` for what is no number of an event. */
function placeOf(since: number | undefined): number | undefined {
  if (since === undefined) return undefined
  const place = Math.floor(since)
  if (Number.isSafeInteger(place)) return place
  throw new RuntimeError(
    'validation_error',
    'Reading the journal failed: "since" must be the number of an event.',
  )
}
