import type { JournalEvent } from '@homeward/contract/agent-platform'
import type { EventLog } from './event-log.ts'

/** Which part of the journal. */
export interface JournalFilter {
  /** Kinds of events; all without it. */
  readonly types?: readonly string[] | undefined
  readonly runId?: string | undefined
}

/** What is asked of the platform. */
export interface JournalQuery extends JournalFilter {
  readonly limit: number
  /** Events behind this number; without it the newest. */
  readonly since?: number
}

/** Where a follower is. */
export type FollowerStatus = 'loading' | 'following' | { readonly error: Error }

/** What {@link createJournalFollower} is built from. */
interface JournalFollowerOptions {
  readonly log: EventLog
  readonly filter: JournalFilter
  readonly read: (query: JournalQuery, signal: AbortSignal) => Promise<readonly JournalEvent[]>
  readonly onStatus: (status: FollowerStatus) => void
  /** Who is further behind than these many pages of 1000 events begins anew with the newest. @default 50 */
  readonly maxPagesBehind?: number
}

/** Keeps a log up to date with the journal. */
export interface JournalFollower {
  /** An event that happened just now; every one of them, whatever the filter. */
  receive(event: JournalEvent): void
  /** Reads what may have been missed. To be called when the connection is there again, and after an error. */
  catchUp(): void
  /** Reads events from before those that are there. */
  loadOlder(): Promise<void>
  /** Whether there may be events from before those that are there. */
  hasOlder(): boolean
  stop(): void
}

const pageSize = 1000
/** A burst of events is shown together. */
const collectMs = 100
/** Events that wait while the journal is read; with more of them it is read anew. */
const maxWaiting = 100_000

/**
 * Builds what follows the journal: first its newest events, then each as it happens. Whatever arrives while the journal
 * is being read waits for that, so that the log has neither gaps nor doubles.
 */
export function createJournalFollower(options: JournalFollowerOptions): JournalFollower {
  const { log, filter, read, onStatus, maxPagesBehind = 50 } = options
  const over = new AbortController()
  let waiting: JournalEvent[] = []
  let isReading = false
  let isBehind = false
  let liveSeq = 0
  let oldestRead = Infinity
  let timer: ReturnType<typeof setTimeout> | undefined

  const matches = ({ type, run_id: runId }: JournalEvent) =>
    (filter.types === undefined || filter.types.includes(type)) &&
    (filter.runId === undefined || filter.runId === runId)

  function flush(): void {
    timer = undefined
    if (isReading || over.signal.aborted) return
    const ready = waiting
    waiting = []
    log.append(ready)
  }

  function flushSoon(): void {
    if (!isReading) timer ??= setTimeout(flush, collectMs)
  }

  /** One reading at a time; what asks for one meanwhile gets another behind it. */
  async function sync(): Promise<void> {
    if (isReading) {
      isBehind = true
      return
    }
    isReading = true
    try {
      do {
        isBehind = false
        await readNewest()
      } while (isBehind && !over.signal.aborted)
      onStatus('following')
    } catch (error) {
      if (!over.signal.aborted) onStatus({ error: error instanceof Error ? error : new Error(String(error)) })
    } finally {
      isReading = false
      flush()
    }
  }

  async function readNewest(): Promise<void> {
    for (let pages = 0; log.lastSeq > 0 && pages < maxPagesBehind; pages += 1) {
      const page = await read({ ...filter, limit: pageSize, since: log.lastSeq }, over.signal)
      log.append(page)
      if (page.length < pageSize) return
    }
    log.clear()
    const newest = await read({ ...filter, limit: pageSize }, over.signal)
    oldestRead = newest.length < pageSize ? 1 : (newest[0]?.seq ?? 1)
    log.append(newest)
  }

  async function loadOlder(): Promise<void> {
    const { events, dropped } = log.view()
    const first = events[0]?.seq ?? Infinity
    // Between those that were let go and what was read before, nothing is left out.
    const end = dropped > 0 ? first : Math.min(first, oldestRead)
    const older = await readOlder({ filter, read, pageSize, signal: over.signal }, end)
    log.prepend(older.events)
    oldestRead = older.since + 1
  }

  void sync()
  return {
    receive(event) {
      // Numbers only grow: one that does not is of a journal that took the place of this one.
      const isOther = event.seq <= liveSeq
      liveSeq = event.seq
      if (isOther) {
        log.clear()
        waiting = []
      }
      if (matches(event)) waiting.push(event)
      const isTooMany = waiting.length > maxWaiting
      if (isTooMany) waiting = []
      if (isOther || isTooMany) void sync()
      flushSoon()
    },
    catchUp: () => void sync(),
    loadOlder,
    hasOlder: () => oldestRead > 1 || log.view().dropped > 0,
    stop() {
      over.abort()
      clearTimeout(timer)
    },
  }
}

/** How older events are read. */
interface OlderReading {
  readonly filter: JournalFilter
  readonly read: (query: JournalQuery, signal: AbortSignal) => Promise<readonly JournalEvent[]>
  /** Events of one answer at most. */
  readonly pageSize: number
  readonly signal: AbortSignal
}

/** Events from before, oldest first. */
interface OlderEvents {
  readonly events: readonly JournalEvent[]
  /** Everything behind this number was read; 0 when there is nothing older. */
  readonly since: number
}

/**
 * Reads events from before the number `end`: the nearest stretch of the journal that has some. A narrow filter finds little,
 * so each stretch is longer than the one before.
 */
async function readOlder(reading: OlderReading, end: number): Promise<OlderEvents> {
  let since = Number.isFinite(end) ? end - 1 : 0
  for (let length = reading.pageSize; since > 0; length *= 4) {
    const before = since + 1
    since = Math.max(0, since - length)
    const events = await readStretch(reading, since, before)
    if (events.length > 0) return { events, since }
  }
  return { events: [], since }
}

/** Events behind `since` and before `end`. */
async function readStretch(
  { filter, read, pageSize, signal }: OlderReading,
  since: number,
  end: number,
): Promise<readonly JournalEvent[]> {
  const found: JournalEvent[] = []
  let position = since
  while (position < end - 1) {
    const page = await read({ ...filter, limit: pageSize, since: position }, signal)
    found.push(...page.filter(({ seq }) => seq < end))
    position = page.length < pageSize ? end : (page.at(-1)?.seq ?? end)
  }
  return found
}
