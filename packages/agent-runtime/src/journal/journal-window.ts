import type { JournalEvent } from '@homeward/contract/agent-platform'

/** Most events of a page. */
const pageSize = 200

/** Consecutive events: all of them from behind a position through another one. */
export interface WindowPage {
  readonly events: readonly JournalEvent[]
  readonly through: number
}

/** The newest events of the journal, a bounded number of them. */
export interface JournalWindow {
  /** Number of the newest event that was seen. */
  readonly through: number
  /** Begins anew, behind a number. */
  reset(through: number): void
  add(page: readonly JournalEvent[]): void
  /** What follows a position; undefined when that is not at hand any more. */
  behind(position: number): WindowPage | undefined
}

/** Builds an empty window. */
export function createJournalWindow(maxEvents: number): JournalWindow {
  let events: JournalEvent[] = []
  let from = 0
  let through = 0
  return {
    get through() {
      return through
    },
    reset(seq) {
      events = []
      from = through = seq
    },
    add(page) {
      for (const event of page) events.push(frozen(event))
      through = page.at(-1)?.seq ?? through
      // Not with every page: moving all of them up costs more than a few too many.
      if (events.length <= maxEvents * 1.25) return
      events = events.slice(-maxEvents)
      from = (events[0]?.seq ?? 1) - 1
    },
    behind(position) {
      if (position < from) return undefined
      const first = firstBehind(events, position)
      const page = events.slice(first, first + pageSize)
      const isWhole = first + page.length === events.length
      return { events: page, through: isWhole ? Math.max(position, through) : (page.at(-1)?.seq ?? position) }
    },
  }
}

/** Index of the first event behind a position. */
function firstBehind(events: readonly JournalEvent[], position: number): number {
  let low = 0
  let high = events.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((events[middle]?.seq ?? 0) > position) high = middle
    else low = middle + 1
  }
  return low
}

/** Several viewers get the same object: none of them may change it for the others. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  for (const entry of Object.values(value)) frozen(entry)
  return Object.freeze(value)
}
