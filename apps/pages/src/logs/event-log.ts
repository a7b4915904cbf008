import type { JournalEvent } from '@homeward/contract/agent-platform'

/** What an {@link createEventLog} keeps at most. */
interface EventLogLimits {
  /** @default 100000 */
  readonly maxEvents?: number
  /** Characters of the events' data as JSON, altogether. @default 67108864 */
  readonly maxCharacters?: number
}

/** What the page holds of the journal: one stretch of it, without gaps, oldest first. */
export interface EventLogView {
  readonly events: readonly JournalEvent[]
  /** Events at the beginning that were let go because of the limits. They are still in the journal. */
  readonly dropped: number
}

/** A stretch of the journal in memory, which grows at both ends and is bounded. */
export interface EventLog {
  /** Adds events that happened, in their order. Those that are there are left out. */
  append(events: readonly JournalEvent[]): void
  /** Adds events from before, in their order, as far as the limits allow. */
  prepend(events: readonly JournalEvent[]): void
  /** Forgets everything: it is the stretch of another journal. */
  clear(): void
  /** Number of the newest event that was ever added; 0 without one. */
  readonly lastSeq: number
  readonly isFull: boolean
  /** The same object until something changes. */
  view(): EventLogView
  /** Calls the listener after each change, until the returned function is called. */
  subscribe(listener: () => void): () => void
}

/** Builds an empty log. When it is full, the oldest events make room for new ones. */
export function createEventLog(limits: EventLogLimits = {}): EventLog {
  const { maxEvents = 100_000, maxCharacters = 64 * 1024 * 1024 } = limits
  const listeners = new Set<() => void>()
  let events: JournalEvent[] = []
  let sizes: number[] = []
  let characters = 0
  let dropped = 0
  let lastSeq = 0
  let current: EventLogView = { events: [], dropped: 0 }

  function changed(): void {
    current = { events: events.slice(), dropped }
    for (const listener of listeners) listener()
  }

  const isOver = (count: number, size: number) => count > maxEvents || size > maxCharacters

  /** The newest event stays, however large it is. */
  function dropOldest(): void {
    let count = 0
    let size = characters
    while (count < events.length - 1 && isOver(events.length - count, size)) {
      size -= sizes[count] ?? 0
      count += 1
    }
    if (count === 0) return
    events = events.slice(count)
    sizes = sizes.slice(count)
    characters = size
    dropped += count
  }

  return {
    append(given) {
      const added = given.filter(({ seq }) => {
        const isNew = seq > lastSeq
        if (isNew) lastSeq = seq
        return isNew
      })
      if (added.length === 0) return
      for (const event of added) {
        const size = sizeOf(event)
        events.push(event)
        sizes.push(size)
        characters += size
      }
      dropOldest()
      changed()
    },
    prepend(given) {
      const first = events[0]?.seq ?? Infinity
      const older = given.filter(({ seq }) => seq < first)
      const kept: JournalEvent[] = []
      const keptSizes: number[] = []
      for (const event of older.toReversed()) {
        const size = sizeOf(event)
        if (isOver(events.length + kept.length + 1, characters + size)) break
        kept.push(event)
        keptSizes.push(size)
        characters += size
      }
      if (kept.length === 0) return
      events = [...kept.toReversed(), ...events]
      sizes = [...keptSizes.toReversed(), ...sizes]
      lastSeq = Math.max(lastSeq, kept[0]?.seq ?? 0)
      dropped = Math.max(0, dropped - kept.length)
      changed()
    },
    clear() {
      events = []
      sizes = []
      characters = 0
      dropped = 0
      lastSeq = 0
      changed()
    },
    get lastSeq() {
      return lastSeq
    },
    get isFull() {
      return events.length >= maxEvents || characters >= maxCharacters
    },
    view: () => current,
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

const sizeOf = ({ data }: JournalEvent) => JSON.stringify(data).length
